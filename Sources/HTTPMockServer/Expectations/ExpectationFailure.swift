/// The requests of a `MockServer` were not as expected. Swift Testing and XCTest print `description`.
///
/// Secrets are masked as in a log, where reports end up: all header fields but those known to be harmless, and values with
/// secret-looking names. `MockServer.requests` has them.
public struct ExpectationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The expectation, the number of matching requests, and the nearest requests with their differences.
    public let description: String

    /// The maximum number of requests shown.
    private static let mostShown = 3

    init(_ problems: [String]) { description = problems.joined(separator: "\n") }

    init(_ pattern: MockServer.Pattern, _ count: MockServer.Count, received: [ReceivedRequest], waited: Duration) {
        description = Self.report(pattern, count, received, waited)
    }

    static func report(
        _ pattern: MockServer.Pattern, _ count: MockServer.Count, _ received: [ReceivedRequest], _ waited: Duration
    ) -> String {
        let matching = received.filter(pattern.matches)
        let time = waited > .zero ? " within \(waited)" : ""
        let first =
            "expected \(count) of \(pattern)\(time), but \(matching.count) of \(received.count) received requests match"
        if received.isEmpty { return first }
        return ([first] + (count.range.upperBound < matching.count ? listed(matching) : nearest(pattern, received)))
            .joined(separator: "\n")
    }

    private static func listed(_ requests: [ReceivedRequest]) -> [String] {
        requests.prefix(mostShown).map { "  match: \($0)" } + more(requests.count)
    }

    /// The requests that miss the fewest conditions, the earliest first among equals.
    private static func nearest(_ pattern: MockServer.Pattern, _ requests: [ReceivedRequest]) -> [String] {
        let others = requests.map { ($0, pattern.differences(from: $0)) }.filter { !$0.1.isEmpty }
        let lines = others.sorted { $0.1.count < $1.1.count }.prefix(mostShown).flatMap { request, differences in
            ["  near: \(request)"] + differences.map { "    \($0)" }
        }
        return lines + more(others.count)
    }

    private static func more(_ count: Int) -> [String] { count > mostShown ? ["  and \(count - mostShown) more"] : [] }
}
