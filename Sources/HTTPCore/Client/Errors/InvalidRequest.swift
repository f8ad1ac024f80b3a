/// A request that violates a rule.
public struct InvalidRequest: Error, Sendable, Hashable {
    /// The method of the request that was not sent; nil for a URL or a proxy address by itself.
    public let method: HTTPMethod?
    /// The whole URL if there is one, else its parts as written; secrets masked.
    public let url: String
    /// A sentence that names the invalid value.
    public let reason: String

    /// An error for `draft`; `reason` is a sentence that names the invalid value.
    public init(_ draft: MutableRequest, _ reason: String) {
        method = draft.method
        url = RequestValidation.shownURL(of: draft)
        self.reason = ASCII.printable(reason)
    }

    /// An error for a URL that no request has yet. `url` has no secrets.
    init(url: String, _ reason: String) {
        method = nil
        self.url = ASCII.printable(url)
        self.reason = ASCII.printable(reason)
    }
}

extension InvalidRequest: DescribedPayload {
    var error: HTTPError { .invalidRequest(self) }

    var sentence: String { (method.map { "\($0.rawValue) \(url) was not sent: " } ?? "") + reason }
}

/// Something the transport cannot do: an option its engine lacks, or a setting it cannot use.
public struct Unsupported: Error, Sendable, Hashable {
    /// The missing feature, as a noun phrase: "a client certificate".
    public let feature: String
    /// Why it is not available, and what would help.
    public let reason: String

    /// An error for `feature`; `reason` says why it is not available and what would help.
    public init(_ feature: String, _ reason: String) {
        self.feature = feature
        self.reason = reason
    }
}

extension Unsupported: DescribedPayload {
    var error: HTTPError { .unsupported(self) }

    var sentence: String { "\(feature) cannot be used: \(reason)" }
}
