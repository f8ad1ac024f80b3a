/// The requests that a `StubClient` answers, and the answer: a value that several stubs may share.
///
///     let logIn = StubRoute(.post, "/login", .json(["user": "ada"]), answer: .json(session))
///     let stub = StubClient(strict: true).on(logIn)
///
/// The pattern is a path or a whole URL. In it `{name}` matches a segment or a part of one, or of the host, `*` does the
/// same without a name, and `**` matches any number of segments. The items after a `?` must be in the query:
///
///     /users/{id}     /files/{name}.json     /search?q=sea     https://*.example.com/v1/**     **
public struct StubRoute: Sendable {
    let method: HTTPMethod?
    let pattern: String
    let matchers: [RequestMatcher]
    let answer: StubAnswer

    /// A route for one method. `StubAnswer.made(_:)` makes an answer for each request.
    public init(_ method: HTTPMethod, _ pattern: String, _ matchers: RequestMatcher..., answer: StubAnswer) {
        self.init(method: method, pattern, matchers, answer)
    }

    /// A route for any method.
    public init(_ pattern: String, _ matchers: RequestMatcher..., answer: StubAnswer) {
        self.init(method: nil, pattern, matchers, answer)
    }

    init(method: HTTPMethod?, _ pattern: String, _ matchers: [RequestMatcher], _ answer: StubAnswer) {
        self.method = method
        self.pattern = pattern
        self.matchers = matchers
        self.answer = answer
    }
}

extension StubRoute: CustomStringConvertible {
    /// Method, pattern and conditions, secrets masked.
    public var description: String { description(pattern) }

    /// The same with its pattern written as `pattern`.
    func description(_ pattern: String) -> String {
        let (path, query) = (pattern.prefix { $0 != "?" }, pattern.drop { $0 != "?" }.dropFirst())
        let line = "\(method.map { "\($0) " } ?? "")\(path)" + (query.isEmpty ? "" : "?" + Redaction.maskedQuery(query))
        return ([line] + matchers.map(\.text)).joined(separator: ", ")
    }
}
