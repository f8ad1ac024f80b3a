extension RequestStep {
    /// Sets the header to exactly this value, replacing earlier ones.
    public static func header(_ name: String, _ value: String) -> RequestStep {
        RequestStep(.setHeader(name: name, value: value))
    }

    /// Adds a header field after earlier ones of the same name.
    public static func addingHeader(_ name: String, _ value: String) -> RequestStep {
        RequestStep { $0.headers.append(value, for: name) }
    }

    /// Sets each header to exactly its value, replacing earlier ones.
    public static func headers(_ headers: HTTPHeaders) -> RequestStep {
        RequestStep { draft in
            for field in headers { draft.headers.removeAll(named: field.name) }
            for field in headers { draft.headers.append(field.value, for: field.name) }
        }
    }

    /// The same from a dictionary, sorted by name. For a list of pairs write `.headers(HTTPHeaders(pairs))`.
    @_disfavoredOverload
    public static func headers(_ fields: [String: String]) -> RequestStep { headers(HTTPHeaders(dictionary: fields)) }

    /// Removes every header of that name, compared without case. For `Content-Type` this includes the one that the body
    /// of an earlier step would add, or that of the file that `upload` adds: a presigned PUT must be sent without one.
    /// The default User-Agent is not a header of a step: `userAgent` of the transport's configuration sets it, nil for none.
    public static func removingHeader(_ name: String) -> RequestStep {
        RequestStep { draft in
            draft.headers.removeAll(named: name)
            if ASCII.equalsIgnoringCase(name, "Content-Type") { draft.removeContentType() }
        }
    }

    /// The User-Agent (RFC 9110 §10.1.5). It replaces the transport's default, `PackageVersion.userAgent` or that of its
    /// configuration.
    public static func userAgent(_ product: String) -> RequestStep { .header("User-Agent", product) }

    /// The media type of the body. It replaces the one that the body sets.
    public static func contentType(_ mediaType: String) -> RequestStep { .header("Content-Type", mediaType) }
}

/// The client's preferences for the response (RFC 9110 §12.5). Each step replaces earlier values.
extension RequestStep {
    /// Media types, as written. A type may carry a weight, `text/html;q=0.5`; types without weights are equally welcome
    /// in any order.
    public static func accept(_ mediaType: String, _ more: String...) -> RequestStep {
        .header("Accept", more.isEmpty ? mediaType : ([mediaType] + more).joined(separator: ", "))
    }

    /// Languages, the preferred one first: `de, en;q=0.9, fr;q=0.8`. Each is a language tag (RFC 5646) or `*`.
    public static func acceptLanguage(_ language: String, _ more: String...) -> RequestStep {
        acceptLanguage([language] + more)
    }

    /// The same from a list, such as the system's preferred languages. An empty list adds nothing.
    public static func acceptLanguage(_ languages: [String]) -> RequestStep {
        if let wrong = languages.first(where: { !isLanguageRange($0) }) {
            return .failing(
                "the language \(wrong.debugDescription) for Accept-Language is not a language tag: write en or en-US")
        }
        guard !languages.isEmpty else { return .none }
        let step = max(1, min(100, 1000 / languages.count))
        let weighted = languages.enumerated().map { index, language in
            index == 0 ? language : "\(language);q=0\(max(1, 1000 - index * step).thousandths)"
        }
        return .header("Accept-Language", weighted.joined(separator: ", "))
    }

    /// Letters and digits in parts of 1 to 8 (RFC 4647 §2.1).
    private static func isLanguageRange(_ text: String) -> Bool {
        text == "*"
            || text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) }
            }
    }
}
