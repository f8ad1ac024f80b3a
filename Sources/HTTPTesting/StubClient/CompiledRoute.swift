import HTTPCore

/// A route with its pattern read: a list of conditions in the order in which a person looks at a request.
struct CompiledRoute: Sendable {
    let route: StubRoute
    /// Nil where the pattern cannot be read.
    let path: StubPath?
    /// All of them, the method's and the pattern's too.
    let matchers: [RequestMatcher]
    /// Why it can never answer; nil if it can.
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
                    path.takes(request.url.origin) ? nil : "it is \(request.url.origin)"
                })
        }
        matchers.append(
            RequestMatcher(.path, "\(path.pathText)") { request in
                path.captures(in: request.url.path) == nil ? "it is \(request.url.path)" : nil
            })
        matchers += path.query.map { item in item.value.map { .query(item.name, $0) } ?? .query(item.name) }
        return matchers + route.matchers
    }

    /// The request with what its path has; nil where it is for another route.
    func taking(_ request: StubbedRequest) -> StubbedRequest? {
        guard problem == nil, let captures = path?.captures(in: request.url.path) else { return nil }
        let request = request.with(path: captures)
        return matchers.allSatisfy { $0.difference(request) == nil } ? request : nil
    }
}
