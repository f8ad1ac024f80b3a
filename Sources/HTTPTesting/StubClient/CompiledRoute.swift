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
            matchers = Self.matchers(of: route, path)
            problem = matchers.lazy.compactMap(\.problem).first
        } catch {
            path = nil
            matchers = []
            problem = "its pattern has \(error.reason)"
        }
    }

    private static func matchers(of route: StubRoute, _ path: StubPath) -> [RequestMatcher] {
        var matchers: [RequestMatcher] = []
        if let method = route.method {
            matchers.append(
                RequestMatcher(.method, "\(method)") { $0.method == method ? nil : "it is \($0.method)" })
        }
        if let scheme = path.scheme {
            matchers.append(
                RequestMatcher(.host, "\(scheme)://\(path.authorityText)") { request in
                    path.captures(in: request.url.origin) == nil ? "it is \(request.url.origin)" : nil
                })
        }
        matchers.append(
            RequestMatcher(.path, "\(path.pathText)") { request in
                path.captures(in: request.url.path) == nil ? "it is \(request.url.path)" : nil
            })
        matchers += path.query.map { item in item.value.map { .query(item.name, $0) } ?? .query(item.name) }
        return matchers + route.matchers
    }

    /// The route with all that its URL has to match.
    var text: String { path.map { route.description($0.text) } ?? route.description }

    /// The request with the values of its URL; nil if it does not match.
    func taking(_ request: StubbedRequest) -> StubbedRequest? {
        guard problem == nil, let captures = path?.captures(in: request.url) else { return nil }
        let request = request.with(captures)
        return matchers.allSatisfy { $0.difference(request) == nil } ? request : nil
    }
}
