/// A failure that a policy, an adapter or a client adds to those that `HTTPError` lists.
///
///     struct CircuitOpen: OtherFailure {
///         let name = "circuit_open"
///         var record: CallRecord?
///         var wasSent: Bool { false }
///         var sentence: String { "the service has failed five times in a row: try again in a minute" }
///     }
///
///     do { … } catch HTTPError.other(let open as CircuitOpen) { … }
///
/// It is printed like any other error, with the request in front of its sentence. So the sentence and the name must not
/// print the failure itself.
public protocol OtherFailure: Error, CustomStringConvertible {
    /// One of a few words, for logs and traces (`error.type`): `circuit_open`.
    var name: String { get }
    /// The record of the call; nil if there is none.
    var record: CallRecord? { get set }
    /// Whether the request may have reached the server: true by default.
    var wasSent: Bool { get }
    /// What happened, and what to do. It is printed after the request, if there is a record.
    var sentence: String { get }
    /// Whether the same request may succeed a little later, so that `.retry()` sends it again: false by default.
    var isTransient: Bool { get }
}

extension OtherFailure {
    public var wasSent: Bool { true }
    public var isTransient: Bool { false }
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.other(self).description }
}

/// As part of an error.
struct OtherPayload: ErrorPayload {
    var failure: any OtherFailure

    var error: HTTPError { .other(failure) }
    var call: CallRecord? {
        get { failure.record }
        set { failure.record = newValue }
    }
    var verb: String? { failure.record == nil ? nil : failure.wasSent ? "failed" : "was not sent" }
    var sentence: String { failure.sentence }
}

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

    /// What an error that `source` threw means for the call.
    package static func named(
        _ error: any Error, from source: Source, _ record: @autoclosure () -> CallRecord
    ) -> HTTPError {
        switch error {
        // It cancels none of the calls that wait for it.
        case is CancellationError where source == .tokenRefresh, HTTPError.cancelled where source == .tokenRefresh:
            .interceptor(InterceptorFailure(source, error, record: record()))
        case let error as HTTPError: error
        case is CancellationError: .cancelled(record())
        default: .interceptor(InterceptorFailure(source, error, record: record()))
        }
    }
}

extension InterceptorFailure: CallFailure, DescribedPayload {
    var error: HTTPError { .interceptor(self) }

    var sentence: String {
        switch source {
        case .interceptor: "an interceptor threw \(underlying): throw an HTTPError there, or answer otherwise"
        case .tokenRefresh: "there is no new token: the refresh threw \(underlying)"
        }
    }
}
