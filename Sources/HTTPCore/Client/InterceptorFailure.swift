/// Code of the caller's around an exchange that threw an error of its own.
public struct InterceptorFailure: Error, Sendable {
    /// Whose code threw the error.
    public enum Source: String, Sendable, Hashable {
        /// The closure of an interceptor.
        case interceptor
        /// What was to bring a new token; see `BearerTokens`.
        case tokenRefresh
    }

    /// Whose code threw the error.
    public let source: Source
    /// What was thrown.
    public let underlying: any Error
    /// The record of the intercepted call, secrets masked.
    public internal(set) var record: CallRecord

    /// An error that `source` has thrown.
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
