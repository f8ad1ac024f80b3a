/// Code of the caller's around an exchange that threw an error of its own.
public struct InterceptorFailure: Error, Sendable {
    public enum Source: String, Sendable, Hashable {
        /// The closure of an interceptor.
        case interceptor
        /// What was to bring a new token; see `BearerTokens`.
        case tokenRefresh
    }

    public let source: Source
    /// What was thrown.
    public let underlying: any Error
    public internal(set) var record: CallRecord

    public init(_ source: Source, _ underlying: any Error, record: CallRecord) {
        self.source = source
        self.underlying = underlying
        self.record = record
    }
}

extension InterceptorFailure {
    var sentence: String {
        switch source {
        case .interceptor: "an interceptor threw \(underlying): throw an HTTPError there, or answer otherwise"
        case .tokenRefresh: "there is no new token: the refresh threw \(underlying)"
        }
    }
}
