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
/// It is printed like any other error, with the request in front of its sentence.
public protocol OtherFailure: Error {
    /// One of a few words, for logs and traces (`error.type`): `circuit_open`.
    var name: String { get }
    /// The record of the call; nil if there is none.
    var record: CallRecord? { get set }
    /// Whether the request may have reached the server: true by default.
    var wasSent: Bool { get }
    /// What happened, and what to do. It is printed behind the request, if there is a record.
    var sentence: String { get }
    /// Whether the same request may succeed a little later, so that `.retry()` sends it again: false by default.
    var isTransient: Bool { get }
}

extension OtherFailure {
    public var wasSent: Bool { true }
    public var isTransient: Bool { false }
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
