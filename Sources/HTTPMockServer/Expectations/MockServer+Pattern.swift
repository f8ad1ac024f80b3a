public import HTTPFoundation
import HTTPTesting

extension MockServer {
    /// A pattern of requests: a list of conditions, all of which must be met.
    ///
    /// ```swift
    /// let upload = MockServer.Pattern(.put, "/files/*").header("Content-Type", "text/plain").text("hello")
    /// try server.expect(upload)
    /// ```
    public struct Pattern: Sendable {
        /// One condition.
        struct Clause: Sendable {
            /// The part it checks: `method`, `header Accept`.
            let subject: String
            let expected: String
            /// Whether the head of a request is enough to decide.
            let isOfHead: Bool
            /// The actual value; nil if the condition is met.
            let actual: @Sendable (ReceivedRequest) -> String?
        }

        private(set) var clauses: [Clause] = []
        /// Why it can match nothing.
        fileprivate var defect: String?

        /// Any request, or those with this method, or with this method and path.
        ///
        /// - Parameters:
        ///   - method: The method; nil for any.
        ///   - path: As of a route of a `StubClient`: `*` and `{name}` match a segment or a part of one, `**` any number of
        ///     segments, and all are compared percent-decoded. The pairs of a query, `/find?q=a`, must occur in the
        ///     request's decoded query, which may have others. Nil for any path.
        public init(_ method: HTTPMethod? = nil, _ path: String? = nil) {
            if let method {
                clauses.append(
                    Clause(subject: "method", expected: "\(method)", isOfHead: true) {
                        $0.method == method ? nil : "\($0.method)"
                    })
            }
            if let path { self = onPath(path) }
        }

        /// With this pair, decoded, in its query.
        public func query(_ name: String, _ value: String) -> Pattern {
            adding("query \(name)", shown(value, of: name), isOfHead: true) { request in
                let values = request.queryItems.filter { $0.name.hasOctets(of: name) }.map { $0.value ?? "" }
                return values.contains { $0.hasOctets(of: value) } ? nil : list(values, of: name)
            }
        }

        /// With this field; one of its values if there are several.
        public func header(_ name: String, _ value: String) -> Pattern {
            adding("header \(name)", shown(value, of: name), isOfHead: true) { request in
                let values = request.headers.values(for: name)
                return values.contains { $0.hasOctets(of: value) } ? nil : list(values, of: name)
            }
        }

        /// Without any field of this name.
        public func noHeader(_ name: String) -> Pattern {
            adding("header \(name)", "none", isOfHead: true) { request in
                request.headers.contains(name) ? list(request.headers.values(for: name), of: name) : nil
            }
        }

        /// With exactly this body, as UTF-8.
        public func text(_ text: String) -> Pattern {
            adding("body", shown(text), isOfHead: false) { request in
                request.body.elementsEqual(text.utf8) ? nil : excerpt(request)
            }
        }

        /// With a body that is the same JSON: the order of keys and the spacing do not matter.
        public func json(_ text: String) -> Pattern { json(JSONValue.parsed(text), as: text) }

        /// With a body that is the encoding of `value`.
        public func json(_ value: some Encodable, encoder: JSONEncoder = JSONCoding.standard.encoder) -> Pattern {
            let wanted = JSONValue.encoded(value, encoder)
            return json(wanted, as: (try? wanted.get().canonicalText) ?? "\(type(of: value))")
        }

        /// With a body that is the encoding of a literal of several types: `.json(["id": id, "title": title])`.
        public func json(_ literal: EncodableLiteral, encoder: JSONEncoder = JSONCoding.standard.encoder) -> Pattern {
            json(literal.asEncodable, encoder: encoder)
        }

        private func json(_ wanted: Result<JSONValue, JSONProblem>, as text: String) -> Pattern {
            let shown = Redaction.namesSecret(text) ? Redaction.mask : text
            return switch wanted {
            case .success(let wanted):
                adding("JSON body", shown, isOfHead: false) { request in
                    JSONValue(parsing: request.text)?.differences(from: wanted, isSubset: false) == []
                        ? nil : excerpt(request)
                }
            case .failure(let problem): impossible("JSON body", shown, "its JSON \(problem.reason)")
            }
        }

        /// With a custom condition, which may be called on any thread.
        public func matching(_ description: String, _ isMet: @escaping @Sendable (ReceivedRequest) -> Bool) -> Pattern {
            adding(description, "true", isOfHead: false) { isMet($0) ? nil : "false" }
        }

        private func onPath(_ text: String) -> Pattern {
            let shown = Redaction.urlText(text)
            do throws(StubPath.Problem) {
                let path = try StubPath(text, base: nil)
                guard path.scheme == nil else { return impossible("path", shown, "its path has a scheme and a host") }
                let copy = adding("path", path.pathText, isOfHead: true) { request in
                    let target = request.path.hasPrefix("/") ? request.path : "/" + request.path
                    return path.captures(in: target[...]) == nil ? request.path : nil
                }
                return path.query.reduce(copy) { $0.query($1.name, $1.value ?? "") }
            } catch { return impossible("path", shown, "its path has \(error.reason)") }
        }

        private func impossible(_ subject: String, _ expected: String, _ defect: String) -> Pattern {
            var copy = adding(subject, expected, isOfHead: true) { _ in "nothing to compare with: \(defect)" }
            copy.defect = defect
            return copy
        }

        private func adding(
            _ subject: String, _ expected: String, isOfHead: Bool,
            _ actual: @escaping @Sendable (ReceivedRequest) -> String?
        ) -> Pattern {
            var copy = self
            copy.clauses.append(
                Clause(subject: subject, expected: expected, isOfHead: isOfHead, actual: actual))
            return copy
        }
    }
}

extension MockServer.Pattern {
    /// Why nothing can be expected of it; nil if something can.
    var problem: String? { defect.map { "\(self) can match nothing: \($0)" } }

    /// Whether a request meets every condition.
    public func matches(_ request: ReceivedRequest) -> Bool { clauses.allSatisfy { $0.actual(request) == nil } }

    /// Whether only the body may fail the pattern.
    func matchesHead(of request: ReceivedRequest) -> Bool {
        clauses.allSatisfy { !$0.isOfHead || $0.actual(request) == nil }
    }

    /// A line for each condition that `request` does not meet.
    func differences(from request: ReceivedRequest) -> [String] {
        clauses.compactMap { clause in
            clause.actual(request).map {
                ASCII.printable("\(clause.subject): expected \(clause.expected), was \($0)")
            }
        }
    }
}

extension MockServer.Pattern: CustomStringConvertible {
    /// Method, path, and the other conditions: `PUT /files/* with body "hello"`.
    public var description: String {
        func value(_ subject: String) -> String? { clauses.first { $0.subject == subject }?.expected }
        let rest = clauses.filter { $0.subject != "method" && $0.subject != "path" }
        let start = [value("method") ?? "any method", value("path") ?? "any path"].joined(separator: " ")
        return rest.isEmpty
            ? start : start + " with " + rest.map { "\($0.subject) \($0.expected)" }.joined(separator: ", ")
    }
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }

/// The value of a query item or header field, masked if its name is one of a secret.
private func shown(_ value: String, of name: String) -> String {
    Redaction.looksSecret(name[...]) || ASCII.equalsIgnoringCase(name, "Cookie") ? Redaction.mask : quoted(value)
}

private func list(_ values: [String], of name: String) -> String {
    values.isEmpty ? "missing" : values.map { shown($0, of: name) }.joined(separator: ", ")
}

/// A body, masked if it names a secret.
private func shown(_ text: String) -> String { Redaction.namesSecret(text) ? Redaction.mask : quoted(text) }

/// As much of a body as fits into a line of a report.
private func excerpt(_ request: ReceivedRequest) -> String {
    let text = request.text
    return text.count <= 200 || Redaction.namesSecret(text)
        ? shown(text) : "\(quoted(String(text.prefix(200)))) and \(text.count - 200) more"
}
