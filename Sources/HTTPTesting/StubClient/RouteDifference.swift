/// The comparison of an unanswered request with one route.
struct RouteDifference: Sendable {
    let route: CompiledRoute
    /// The conditions, each with what differs.
    private let checks: [(matcher: RequestMatcher, difference: String?)]
    /// How many times it has answered, if it is exhausted.
    private let exhausted: Int?
    /// The distance: 0 if all conditions are met. The target of the request weighs more than the rest.
    let distance: Double

    /// `exhausted` is how many times the route has answered, if it is exhausted.
    init(_ request: StubbedRequest, _ route: CompiledRoute, exhausted: Int?) {
        self.route = route
        self.exhausted = exhausted
        let captures = route.path?.captures(in: request) ?? [:]
        let request = request.with(captures)
        checks = route.matchers.map { ($0, $0.difference(request)) }
        let likeness = route.path?.likeness(to: request.url.path) ?? 0
        let isUnusable = route.problem == nil ? 0.0 : 100
        distance = checks.filter { $0.difference != nil }.reduce(isUnusable) { sum, check in
            switch check.matcher.aspect {
            case .host: sum + 6
            case .path: sum + 4 + 6 * (1 - likeness)
            case .method: sum + 4
            case .query, .header, .body, .condition: sum + 1
            }
        }
    }

    /// A line for each condition, with a reason if it is not met.
    var lines: [String] {
        if let problem = route.problem { return ["✗ it can never match: \(problem)"] }
        let lines = checks.map { check in
            let line = "\(check.difference == nil ? "✓" : "✗") \(check.matcher.text)"
            return check.difference.map { "\(line): \($0)" } ?? line
        }
        guard let exhausted, distance == 0 else { return lines }
        return lines + ["✗ it was to answer \(exhausted == 1 ? "once" : "\(exhausted) times"), and has"]
    }
}

/// A request that no route of a stub answers.
public struct UnmatchedRequest: Sendable {
    /// The request.
    public let request: StubbedRequest
    private let nearest: RouteDifference?
    private let routeCount: Int

    init(_ request: StubbedRequest, differences: [RouteDifference]) {
        self.request = request
        nearest = differences.min { $0.distance < $1.distance }
        routeCount = differences.count
    }
}

/// The failure of a call of a strict stub: `catch HTTPError.other(let unmatched as UnmatchedRequest)`.
extension UnmatchedRequest: OtherFailure {
    public var name: String { "unmatched_request" }

    /// Nil: no exchange of this request took place.
    public var record: CallRecord? {
        get { nil }
        set {}
    }

    /// False: this request was not sent. One that was redirected to it was.
    public var wasSent: Bool { false }

    /// The request and its differences from the nearest route; secrets masked.
    public var sentence: String {
        guard let nearest else { return head }
        return "\(head) \(nearest.route.text): "
            + nearest.lines.filter { $0.hasPrefix("✗") }.joined(separator: ", ")
    }

    /// The same with a line for each condition, met or not.
    public var description: String {
        guard let nearest else { return head }
        let lines = [head, nearest.route.text] + nearest.lines.map { "  " + $0 }
        return lines.map { ASCII.printable($0) }.joined(separator: "\n    ")
    }

    private var head: String {
        let count = routeCount == 1 ? "the only one is" : "the nearest of \(routeCount) is"
        return "no route answers \(request)" + (nearest == nil ? ": there are none" : "; \(count)")
    }
}
