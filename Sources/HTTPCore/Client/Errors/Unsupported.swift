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

extension Unsupported: ErrorPayload, CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { error.description }

    var error: HTTPError { .unsupported(self) }

    var sentence: String { "\(feature) cannot be used: \(reason)" }
}
