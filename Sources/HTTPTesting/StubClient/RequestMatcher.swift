/// A condition on requests, besides method and path, for routes of a `StubClient` or a `MockServer`, and what a server is to
/// have received.
///
///     stub.on(.post, "/notes", .header("Authorization", "Bearer t-1"), .json(["title": "sea"]), answer: .status(201))
///     try server.expect(.post, "/notes", .json(["title": "sea"]))
public struct RequestMatcher: Sendable {
    /// The part of a request it checks.
    package enum Aspect: String, Sendable {
        case method, host, path, query, header, body, condition
    }

    package let aspect: Aspect
    /// The expectation, secrets masked.
    package let label: String
    /// Why it can never be met.
    package let problem: String?
    /// Nil if the request meets it; otherwise the difference, secrets masked.
    package let difference: @Sendable (any MatchedRequest) -> String?

    package init(
        _ aspect: Aspect, _ label: String, problem: String? = nil,
        difference: @escaping @Sendable (any MatchedRequest) -> String?
    ) {
        self.aspect = aspect
        self.label = label
        self.problem = problem
        self.difference = difference
    }

    /// What it checks, and for what.
    package var text: String { "\(aspect.rawValue) \(label)" }
}

extension RequestMatcher {
    /// The first conditions of a route.
    package static func line(_ method: HTTPMethod?, _ path: StubPath?) -> [RequestMatcher] {
        let methods = method.map { method in
            [RequestMatcher(.method, "\(method)") { $0.method == method ? nil : "it is \($0.method)" }]
        }
        return (methods ?? []) + (path?.matchers ?? [])
    }
}

extension StubPath {
    /// The conditions of the pattern, in the order in which a person would check them.
    fileprivate var matchers: [RequestMatcher] {
        var matchers: [RequestMatcher] = []
        if let scheme {
            matchers.append(
                RequestMatcher(.host, "\(scheme)://\(authorityText)") { request in
                    guard let origin = request.origin else { return "it is missing" }
                    return captures(in: origin) == nil ? "it is \(origin)" : nil
                })
        }
        matchers.append(
            RequestMatcher(.path, pathText) { request in
                captures(in: request.matchedPath) == nil
                    ? "it is \(Redaction.urlText(String(request.matchedPath)))" : nil
            })
        return matchers + query.map { item in item.value.map { .query(item.name, $0) } ?? .query(item.name) }
    }
}

/// Conditions on the decoded query. Texts are compared by their octets.
extension RequestMatcher {
    /// The query has `name` with this value, possibly among other values.
    public static func query(_ name: String, _ value: String) -> RequestMatcher {
        RequestMatcher(.query, "\(name)=\(Redactor.value(value, of: name))") { request in
            let values = request.values(of: name)
            if values.contains(where: { $0.hasOctets(of: value) }) { return nil }
            guard !values.isEmpty else { return "it is missing" }
            return "it is " + values.map { Redactor.value($0, of: name) }.joined(separator: " and ")
                + Redactor.note(values, value)
        }
    }

    /// The query has `name`, with any value.
    public static func query(_ name: String) -> RequestMatcher {
        RequestMatcher(.query, name) { $0.values(of: name).isEmpty ? "it is missing" : nil }
    }

    /// The query does not have `name`.
    public static func noQuery(_ name: String) -> RequestMatcher {
        RequestMatcher(.query, "no \(name)") { request in
            request.values(of: name).first.map { "it is \(Redactor.value($0, of: name))" }
        }
    }
}

/// Conditions on the header fields. Names are compared without case.
extension RequestMatcher {
    /// One field of that name has this value.
    public static func header(_ name: String, _ value: String) -> RequestMatcher {
        RequestMatcher(.header, "\(HTTPHeaders.Field(name: name, value: value))") { request in
            let values = request.headers.values(for: name)
            if values.contains(where: { $0.hasOctets(of: value) }) { return nil }
            guard !values.isEmpty else { return "it is missing" }
            return "it is \(values.map { Redaction.headerValue($0, of: name) }.joined(separator: " and "))"
                + Redactor.note(values, value)
        }
    }

    /// There is a field of that name.
    public static func header(_ name: String) -> RequestMatcher {
        RequestMatcher(.header, name) { $0.headers.contains(name) ? nil : "it is missing" }
    }

    /// There is no field of that name.
    public static func noHeader(_ name: String) -> RequestMatcher {
        RequestMatcher(.header, "no \(name)") { request in
            request.headers[name].map { "it is \(Redaction.headerValue($0, of: name))" }
        }
    }
}

extension RequestMatcher {
    /// The host of the URL, for a server that of the Host field, compared without case. One that is not ASCII is compared as
    /// the URL has it, in A-labels.
    public static func host(_ host: String) -> RequestMatcher {
        RequestMatcher(.host, host) { request in
            guard let found = request.origin?.host else { return "it is missing" }
            return HostName.areEqual(found, host) ? nil : "it is \(found)"
        }
    }

    /// A custom condition on requests of a `StubClient`; `label` names it in messages. The closure may run on several threads
    /// at once. A pattern of a `MockServer` has its own `matching`.
    public static func matching(
        _ label: String, _ isMet: @escaping @Sendable (StubbedRequest) -> Bool
    ) -> RequestMatcher {
        RequestMatcher(.condition, label) { ($0 as? StubbedRequest).map(isMet) == true ? nil : "it is not met" }
    }
}
