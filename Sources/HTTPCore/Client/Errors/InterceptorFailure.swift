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
        /// A policy: with an error of its own, or a `PolicyFault` for one that never ends.
        case policy
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
        case .policy: "\(underlying)"
        }
    }
}

/// What a policy did instead of coming to an end.
public struct PolicyFault: Error, Sendable, Hashable {
    /// The kinds of faults.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// It sent again, worked or waited for what had come already, time and again, without an exchange in between: a hundred
        /// thousand requests that inner policies answered, or ten thousand waits and works.
        case goesOnForEver
        /// It waits in simulated time, without a deadline, for a signal that nobody fires.
        case waitsForNobody
    }

    /// What it did.
    public let kind: Kind
    /// The type of the policy.
    public let policy: String

    /// A fault of the policy of that type.
    public init(_ kind: Kind, policy: String) {
        self.kind = kind
        self.policy = policy
    }
}

extension PolicyFault: CustomStringConvertible {
    /// The policy by its type, what it did, and what would be right.
    public var description: String {
        switch kind {
        case .goesOnForEver:
            "the policy \(policy) goes on for ever without an exchange: let it finish, or wait for a time to come"
        case .waitsForNobody:
            "the policy \(policy) waits for a signal that nobody fires: fire it, or wait until a time as well"
        }
    }
}
