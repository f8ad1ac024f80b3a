@_exported public import HTTPTesting

extension MockServer {
    /// A pattern of requests: a list of conditions, all of which must be met.
    ///
    /// ```swift
    /// let upload = MockServer.Pattern(.put, "/files/*", .header("Content-Type", "text/plain"), .text("hello"))
    /// try server.expect(upload, within: .seconds(2))
    /// ```
    public struct Pattern: Sendable {
        private var matchers: [RequestMatcher]
        fileprivate let path: StubPath?

        /// The requests that meet all conditions; any request if there are none.
        ///
        /// - Parameters:
        ///   - method: The method; nil for any.
        ///   - path: As of a route of a `StubClient`: `*` and `{name}` match a segment or a part of one, `**` any number of
        ///     segments, and all are compared percent-decoded. The items of a query, `/find?q=a`, must occur in the
        ///     request's decoded query, which may have others. Nil for any path.
        ///   - matchers: Further conditions, as of such a route.
        public init(_ method: HTTPMethod? = nil, _ path: String? = nil, _ matchers: RequestMatcher...) {
            self.init(method, path, matchers)
        }

        init(_ method: HTTPMethod?, _ path: String?, _ matchers: [RequestMatcher]) {
            self.path = path.flatMap { try? StubPath($0, base: nil) }
            self.matchers =
                RequestMatcher.line(method, path)
                + matchers.map { matcher in
                    guard matcher.aspect == .condition else { return matcher }
                    let problem = "a condition in the list is for requests of a StubClient: use Pattern.matching"
                    return RequestMatcher(.condition, matcher.label, problem: problem) { _ in problem }
                }
        }

        /// With a custom condition, which may be called on any thread; `label` names it in messages.
        public func matching(_ label: String, _ isMet: @escaping @Sendable (ReceivedRequest) -> Bool) -> Pattern {
            var copy = self
            copy.matchers.append(
                RequestMatcher(.condition, label) {
                    ($0 as? ReceivedRequest).map(isMet) == true ? nil : "it is not met"
                })
            return copy
        }
    }
}

extension RequestMatcher {
    /// The first conditions of a pattern. One for a path that has no meaning can never be met.
    fileprivate static func line(_ method: HTTPMethod?, _ path: String?) -> [RequestMatcher] {
        guard let path else { return line(method, nil as StubPath?) }
        do { return line(method, try StubPath(path, base: nil)) } catch {
            let problem = "its path has \(error.reason)"
            return line(method, nil as StubPath?)
                + [RequestMatcher(.path, Redaction.urlText(path), problem: problem) { _ in problem }]
        }
    }
}

extension MockServer.Pattern {
    /// Why nothing can be expected of it; nil if something can.
    var problem: String? {
        matchers.lazy.compactMap(\.problem).first.map { "\(self) can match nothing: \($0)" }
    }

    /// Whether a request meets every condition.
    public func matches(_ request: ReceivedRequest) -> Bool { matchers.allSatisfy { $0.difference(request) == nil } }

    /// The values of the named parts of its path.
    func captures(in request: ReceivedRequest) -> [String: String] { path?.captures(in: request) ?? [:] }

    /// Whether only the body, or a custom condition, may fail the pattern.
    func matchesHead(of request: ReceivedRequest) -> Bool {
        matchers.allSatisfy { $0.aspect == .body || $0.aspect == .condition || $0.difference(request) == nil }
    }

    /// A line for each condition that `request` does not meet.
    func differences(from request: ReceivedRequest) -> [String] {
        matchers.compactMap { matcher in
            matcher.difference(request).map { ASCII.printable("\(matcher.text): \($0)") }
        }
    }
}

extension MockServer.Pattern: CustomStringConvertible {
    /// Method, path, and the other conditions, secrets masked: `PUT /files/* with body text "hello"`.
    public var description: String {
        func label(_ aspect: RequestMatcher.Aspect) -> String? { matchers.first { $0.aspect == aspect }?.label }
        let start = "\(label(.method) ?? "any method") \(label(.path) ?? "any path")"
        let rest = matchers.filter { $0.aspect != .method && $0.aspect != .path }
        return rest.isEmpty ? start : "\(start) with \(rest.map(\.text).joined(separator: ", "))"
    }
}
