import HTTPSupport

/// The answer to the requests of one pattern, and how often it was used.
final class Route: Sendable {
    let pattern: MockServer.Pattern
    let expected: MockServer.Count?
    let conditions: MockServer.Conditions
    private let handler: MockServer.Handler
    private let answered = Locked(0)

    init(
        _ pattern: MockServer.Pattern, _ expected: MockServer.Count?, _ conditions: MockServer.Conditions,
        _ handler: @escaping MockServer.Handler
    ) {
        self.pattern = pattern
        self.expected = expected
        self.conditions = conditions
        self.handler = handler
    }

    var answeredCount: Int { answered.withLock(\.self) }

    func answer(to request: ReceivedRequest) -> MockResponse {
        answered.withLock { $0 += 1 }
        var request = request
        request.pathParameters = pattern.captures(in: request)
        return handler(request)
    }

    /// Why `verify` fails because of this route; nil if it does not.
    func problem(received: [ReceivedRequest]) -> String? {
        if let problem = pattern.problem { return "the route \(problem)" }
        guard let expected, !expected.range.contains(answeredCount) else { return nil }
        let report = ExpectationFailure.report(pattern, expected, received, .zero)
        return "a route answered \(answeredCount) requests: \(report)"
    }
}
