/// An error thrown by the caller's code around an exchange.
public struct InterceptorFailure: Error, Sendable {
    /// The code that threw the error.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Source: Sendable, Hashable {
        /// The closure of an interceptor.
        case interceptor
        /// The refresh of a token; see `BearerTokens`.
        case tokenRefresh
    }

    /// The code that threw the error.
    public let source: Source
    /// The thrown error.
    public let underlying: any Error
    /// The record of the intercepted call, secrets masked.
    public internal(set) var record: CallRecord

    /// An error that `source` threw.
    public init(_ source: Source, _ underlying: any Error, record: CallRecord) {
        self.source = source
        self.underlying = underlying
        self.record = record
    }
}

extension InterceptorFailure: CallFailure, CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { error.description }

    var error: HTTPError { .interceptor(self) }

    var sentence: String {
        switch source {
        case .interceptor: "an interceptor threw \(underlying): throw an HTTPError there, or answer otherwise"
        case .tokenRefresh: "there is no new token: the refresh threw \(underlying)"
        }
    }
}
