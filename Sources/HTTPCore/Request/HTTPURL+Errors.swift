extension HTTPURL {
    /// Parses an absolute URL (RFC 3986 §4.3). Ambiguous input is refused with `.invalidRequest`, whose reason says
    /// what is wrong, and where.
    public init(_ url: some URLConvertible) throws(HTTPError) {
        let text = url.urlText
        do throws(URLProblem) { try self.init(parsing: text) } catch { throw HTTPError(error, of: text, "URL") }
    }

    /// Resolves `reference` against this URL (RFC 3986 §5.2), as in a Location field. What cannot be resolved is refused
    /// with `.invalidRequest`, whose reason says what is wrong, and where.
    public func resolving(_ reference: String) throws(HTTPError) -> HTTPURL {
        do throws(URLProblem) { return try resolving(reference, spelling: .strict) } catch {
            throw HTTPError(error, of: reference, "reference")
        }
    }
}

extension HTTPError {
    /// The error for `text`, which is given as a URL of its own and not for a request. Secrets in it are masked.
    package init(_ problem: URLProblem, of text: String, _ what: String) {
        let shown = Redaction.urlText(text)
        self = .invalidRequest(InvalidRequest(url: shown, "the \(what) \(ASCII.quoted(shown)) \(problem)"))
    }
}
