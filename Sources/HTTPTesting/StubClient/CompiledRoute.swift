/// A route with its parsed pattern: a list of conditions in the order in which a person would check them.
struct CompiledRoute: Sendable {
    let route: StubRoute
    /// Nil if the pattern is invalid.
    let path: StubPath?
    /// All conditions, including method and pattern.
    let matchers: [RequestMatcher]
    /// Why it can never match; nil if it can.
    let problem: String?

    init(_ route: StubRoute, base: String?) {
        self.route = route
        do throws(StubPath.Problem) {
            let path = try StubPath(route.pattern, base: base)
            self.path = path
            matchers = RequestMatcher.line(route.method, path) + route.matchers
            problem = matchers.lazy.compactMap(\.problem).first
        } catch {
            path = nil
            matchers = []
            problem = "its pattern has \(error.reason)"
        }
    }

    /// The route with all that its URL has to match.
    var text: String { path.map { route.description($0.text) } ?? route.description }

    /// The request with the values of its URL; nil if it does not match.
    func taking(_ request: StubbedRequest) -> StubbedRequest? {
        guard problem == nil, let captures = path?.captures(in: request) else { return nil }
        let request = request.with(captures)
        return matchers.allSatisfy { $0.difference(request) == nil } ? request : nil
    }
}
