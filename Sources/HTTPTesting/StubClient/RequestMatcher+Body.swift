public import HTTPFoundation

/// Conditions on the body, from any source.
extension RequestMatcher {
    /// Exactly these bytes.
    public static func body(_ bytes: Data) -> RequestMatcher {
        RequestMatcher(.body, "\(bytes.count) bytes") { request in
            if request.bodyData == bytes { return nil }
            return request.bodyData.count == bytes.count
                ? "it has other bytes" : "it has \(request.bodyData.count) bytes"
        }
    }

    /// A custom condition on the bytes. The closure may run on several threads at once.
    public static func body(_ isMet: @escaping @Sendable (Data) -> Bool) -> RequestMatcher {
        RequestMatcher(.body, "a condition") { isMet($0.bodyData) ? nil : "it is not met" }
    }

    /// Exactly this text, as UTF-8.
    public static func text(_ text: String) -> RequestMatcher {
        RequestMatcher(.body, "text \(Redactor.text(text))") { request in
            request.bodyData.elementsEqual(text.utf8) ? nil : "it is \(Redactor.text(request.bodyText))"
        }
    }

    /// A body that contains this text.
    public static func text(containing part: String) -> RequestMatcher {
        RequestMatcher(.body, "text with \(Redactor.text(part))") { request in
            request.bodyData.contains(part.utf8) ? nil : "it is \(Redactor.text(request.bodyText))"
        }
    }

    /// A form (`application/x-www-form-urlencoded`) with exactly these fields, in any order.
    public static func form(_ fields: [String: String]) -> RequestMatcher {
        form(fields.mapValues { [$0] }, allowsMore: false)
    }

    /// A form with at least these fields.
    public static func form(containing fields: [String: String]) -> RequestMatcher {
        form(fields.mapValues { [$0] }, allowsMore: true)
    }

    /// The same for a literal of several types, written as the step `.form` writes it. A list stands for several fields
    /// of one name, in order.
    @_disfavoredOverload
    public static func form(_ literal: EncodableLiteral, style: QueryStyle = QueryStyle()) -> RequestMatcher {
        form(literal, style, allowsMore: false)
    }

    /// The same for a literal of several types.
    @_disfavoredOverload
    public static func form(containing literal: EncodableLiteral, style: QueryStyle = QueryStyle()) -> RequestMatcher {
        form(literal, style, allowsMore: true)
    }

    private static func form(_ literal: EncodableLiteral, _ style: QueryStyle, allowsMore: Bool) -> RequestMatcher {
        do {
            let items = try literal.items(style: style)
            return form(
                Dictionary(grouping: items, by: \.name).mapValues { $0.map { $0.value ?? "" } }, allowsMore: allowsMore)
        } catch {
            let problem = "its form cannot be made: \(error)"
            return RequestMatcher(.body, "form", problem: problem) { _ in problem }
        }
    }

    private static func form(_ fields: [String: [String]], allowsMore: Bool) -> RequestMatcher {
        let names = fields.keys.sorted()
        let label = allowsMore ? "form with" : "form"
        return RequestMatcher(.body, "\(label) \(names.joined(separator: ", "))") { request in
            let items = FormText.items(request.bodyText)
            for name in names {
                let values = items.filter { $0.name.hasOctets(of: name) }.map { $0.value ?? "" }
                let expected = fields[name, default: []]
                if values.isEmpty { return "\(name) is missing" }
                if values.count != expected.count { return "\(name) is there \(times(values.count))" }
                for (value, expected) in zip(values, expected) where !value.hasOctets(of: expected) {
                    return "\(name) is \(Redactor.value(value, of: name)), not \(Redactor.value(expected, of: name))"
                        + Redactor.note([value], expected)
                }
            }
            let other = items.first { item in !names.contains { $0.hasOctets(of: item.name) } }
            guard !allowsMore, let other else { return nil }
            return "it also has \(other.name)"
        }
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

/// Conditions on JSON, compared by value: the order of members and white space do not matter.
extension RequestMatcher {
    /// Exactly this JSON text.
    public static func json(text: String) -> RequestMatcher { json(JSONValue.parsed(text), isSubset: false) }

    /// Exactly the encoding of `value`.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = JSONCoding.standard.encoder
    ) -> RequestMatcher {
        json(JSONValue.encoded(value, encoder), isSubset: false)
    }

    /// Exactly the encoding of a literal of several types.
    public static func json(
        _ literal: EncodableLiteral, encoder: JSONEncoder = JSONCoding.standard.encoder
    ) -> RequestMatcher {
        json(JSONValue.encoded(literal, encoder), isSubset: false)
    }

    /// At least the members of this JSON text: objects may have more. Arrays have the same number of elements, compared
    /// one by one in the same way.
    public static func json(containingText text: String) -> RequestMatcher {
        json(JSONValue.parsed(text), isSubset: true)
    }

    /// The same for the encoding of `value`.
    public static func json(
        containing value: some Encodable, encoder: JSONEncoder = JSONCoding.standard.encoder
    ) -> RequestMatcher {
        json(JSONValue.encoded(value, encoder), isSubset: true)
    }

    /// The same for a literal of several types.
    public static func json(
        containing literal: EncodableLiteral, encoder: JSONEncoder = JSONCoding.standard.encoder
    ) -> RequestMatcher {
        json(JSONValue.encoded(literal, encoder), isSubset: true)
    }

    private static func json(_ expected: Result<JSONValue, JSONProblem>, isSubset: Bool) -> RequestMatcher {
        let label = isSubset ? "JSON with" : "JSON"
        switch expected {
        case .failure(let problem):
            return RequestMatcher(.body, label, problem: "its JSON \(problem.reason)") { _ in problem.reason }
        case .success(let expected):
            return RequestMatcher(.body, "\(label) \(expected.outline)") { request in
                guard case .success(let actual) = JSONValue.parsed(request.bodyData) else {
                    return request.bodyData.isEmpty
                        ? "it is empty" : "it is no JSON: \(Redactor.text(request.bodyText))"
                }
                let differences = actual.differences(from: expected, isSubset: isSubset)
                return differences.isEmpty ? nil : differences.joined(separator: "; ")
            }
        }
    }
}
