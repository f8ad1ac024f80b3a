/// A condition on requests, besides method and path, for a route of a `StubClient`.
///
///     stub.on(.post, "/notes", .header("Authorization", "Bearer t-1"), .json(["title": "sea"]), answer: .status(201))
public struct RequestMatcher: Sendable {
    /// The part of a request it checks.
    enum Aspect: String, Sendable {
        case method, host, path, query, header, body, condition
    }

    let aspect: Aspect
    /// The expectation, secrets masked.
    let label: String
    /// Why it can never be met.
    let problem: String?
    /// Nil if the request meets it; otherwise the difference, secrets masked.
    let difference: @Sendable (StubbedRequest) -> String?

    init(
        _ aspect: Aspect, _ label: String, problem: String? = nil,
        difference: @escaping @Sendable (StubbedRequest) -> String?
    ) {
        self.aspect = aspect
        self.label = label
        self.problem = problem
        self.difference = difference
    }
}

/// Conditions on the decoded query. Texts are compared by their octets.
extension RequestMatcher {
    /// The query has `name` with this value, possibly among other values.
    public static func query(_ name: String, _ value: String) -> RequestMatcher {
        RequestMatcher(.query, "\(name)=\(Redactor.value(value, of: name))") { request in
            let values = request.queryItems.filter { $0.name.hasOctets(of: name) }.map { $0.value ?? "" }
            if values.contains(where: { $0.hasOctets(of: value) }) { return nil }
            guard !values.isEmpty else { return "it is missing" }
            return "it is " + values.map { Redactor.value($0, of: name) }.joined(separator: " and ")
                + Redactor.note(values, value)
        }
    }

    /// The query has `name`, with any value.
    public static func query(_ name: String) -> RequestMatcher {
        RequestMatcher(.query, name) { $0.query(name) == nil ? "it is missing" : nil }
    }

    /// The query does not have `name`.
    public static func noQuery(_ name: String) -> RequestMatcher {
        RequestMatcher(.query, "no \(name)") { request in
            request.query(name).map { "it is \(Redactor.value($0, of: name))" }
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
    /// The host of the URL, compared without case. One that is not ASCII is compared as the URL has it, in A-labels.
    public static func host(_ host: String) -> RequestMatcher {
        RequestMatcher(.host, host) { request in
            HostName.areEqual(request.url.host, host) ? nil : "it is \(request.url.host)"
        }
    }

    /// A custom condition; `label` names it in messages. The closure may run on several threads at once.
    public static func matching(
        _ label: String, _ isMet: @escaping @Sendable (StubbedRequest) -> Bool
    ) -> RequestMatcher {
        RequestMatcher(.condition, label) { isMet($0) ? nil : "it is not met" }
    }
}
