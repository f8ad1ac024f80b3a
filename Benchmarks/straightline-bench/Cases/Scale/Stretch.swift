import CurlFloor

/// What a request costs at the end of a long stretch, against what it costs at its start: after very many requests, or
/// with connections to very many hosts. It is measured in windows, each beside the same in C at the same time, in a
/// process of its own.
enum Stretch: String, CaseIterable {
    case requests
    case hosts

    /// What a window may cost beside C, as a multiple of what the first one did. A few hundredths are the noise of such a
    /// short look.
    private static let flatness = 1.10

    var title: String {
        switch self {
        case .requests: "request after request, 13 bytes"
        case .hosts: "one host after the other, 13 bytes"
        }
    }

    /// In the parent. `requests` is how long the stretch of requests is.
    func measure(_ server: Server, requests: Int, counter: String?) throws -> (Report.Table, TrialResult) {
        let arguments = ["stretch", "--of", rawValue, "--requests", String(requests)] + server.arguments
        guard let windows = Child.run(arguments, preload: counter, as: [Window].self), let first = windows.first,
            let last = windows.last
        else { throw Failure("there are no figures of: \(title)") }
        let table = Report.Table(
            section: .scale, id: rawValue, name: title, unit: Unit.microseconds.symbol,
            figures: [first.bare] + windows.map(\.own), leftOut: [])
        let result = TrialResult(
            section: .scale, name: "\(title): \(last.own.name), against \(first.own.name)", spoilt: [],
            quantities: quantities(first, last))
        return (table, result)
    }

    private func quantities(_ first: Window, _ last: Window) -> [Quantity] {
        [
            Quantity("time beside C, last to first", last.own.ratio / first.own.ratio, " ", .atMost(Self.flatness)),
            Quantity(
                "processor time beside C, last to first", last.own.cpuRatio / first.own.cpuRatio, " ",
                .atMost(Self.flatness)),
            Quantity("resident memory at the end of the first, C and ours", first.residentMegabytes, "MB"),
            Quantity("resident memory at the end of the last, C and ours", last.residentMegabytes, "MB"),
            Quantity("descriptors at the end of the first, C and ours", Double(first.descriptors)),
            Quantity(
                "descriptors at the end of the last, C and ours", Double(last.descriptors), "",
                self == .requests ? .atMost(Double(first.descriptors)) : nil),
        ]
    }

    /// In the child.
    static func run(_ arguments: Arguments) throws {
        guard let stretch = arguments.text("of").flatMap(Stretch.init), let server = try Server(arguments) else {
            throw Failure("which stretch, and which port?")
        }
        let count: Int = try arguments.number("requests")
        switch stretch {
        case .requests: try Child.answer(ManyRequests.windows(of: count, server))
        case .hosts: try Child.answer(ManyHosts.windows(server))
        }
    }
}
