extension Suite {
    private static let timesOfServer: [[Int]] = [[0], [50], [150], [1000], [0, 150]]
    private static let callers = [1, 8, 64]

    /// Callers of a server that takes its time, so many at once, each of which calls again when it has its answer.
    static let delays = timesOfServer.flatMap { times in callers.map { delayed(by: times, $0) } }

    /// Batches, as a program decorates its client.
    static let delayedBatch = Suite(
        section: .delays,
        id: "delays-batch",
        name: "5,000 µs, batches of 64",
        unit: .microseconds(share: share(of: [5000], 64)),
        floor: .delayed(.batch, 64) { $0.url(after: [5000]) },
        contenders: [.delayed(.batchOfPolicies, 64, limit: 1.2) { $0.url(after: [5000]) }],
        roundsPerProcess: 4,
        tellsMemory: false
    )

    private static func delayed(by times: [Int], _ callers: Int) -> Suite {
        let url: Server.Choice = { $0.url(after: times) }
        let style = { (style: DelayedStyle) in Case.delayed(style, callers, url) }
        return Suite(
            section: .delays,
            id: "delays-\(callers)",
            name: "\(times.map { String($0) }.joined(separator: " and ")) µs, \(callers) at a time",
            unit: .microseconds(share: share(of: times, callers)),
            floor: style(.c),
            contenders: [
                style(.blocking), style(.awaited), style(.executor), style(.policies), style(.executorOfPolicies),
            ],
            urlOfPeers: url,
            roundsPerProcess: 4,
            tellsMemory: false
        )
    }

    /// How many times the least request's time one takes, or somewhat less, so that a round takes about 100 ms: a call
    /// takes some 50 µs beyond the server's time, and two processors some 20 µs for each, however many there are.
    private static func share(of times: [Int], _ callers: Int) -> Double {
        let time = times.reduce(0, +) / times.count + 50
        return max(Double(time) / Double(callers), 20) / 100
    }
}

extension Case {
    fileprivate static func delayed(
        _ style: DelayedStyle, _ callers: Int, limit: Double? = nil, _ url: @escaping Server.Choice
    ) -> Case {
        let program = CommandLine.arguments[0]
        let isBlocking = style == .blocking
        return Case(
            program: style.name, limit: limit ?? (isBlocking ? 1.08 : nil), cpuLimit: isBlocking ? 1.15 : nil,
            rivals: style.rivals
        ) { server in
            guard let server else { throw Failure("\(style.name) needs a server: --port is missing") }
            return try PeerProcess(
                "\(program) delays --style \(style.rawValue) --callers \(callers) --url \(url(server))")
        }
    }
}

extension DelayedStyle {
    fileprivate var rivals: [Rival] {
        switch self {
        case .c, .blocking, .batch, .batchOfPolicies: []
        case .awaited: [Rival("Go", atLeast: 1, cpuLimit: 1.15)]
        case .executor: [Rival("Go", atLeast: 1, cpuLimit: 0.9)]
        case .executorOfPolicies: [Rival(DelayedStyle.executor.name, atLeast: 1 / 1.15, cpuLimit: 1.15)]
        case .policies: [Rival(DelayedStyle.awaited.name, atLeast: 1 / 1.2, cpuLimit: 1.2)]
        }
    }
}
