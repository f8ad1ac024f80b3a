/// What a policy did instead of coming to an end.
public struct PolicyFault: OtherFailure, Hashable {
    /// The kinds of faults.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// It sent again, worked or waited for what had come already, time and again, without an exchange in between: a hundred
        /// thousand requests that inner policies answered or that were never sent, or ten thousand waits and works.
        case goesOnForEver
        /// It waits in simulated time, without a deadline, for a signal that nobody fires.
        case waitsForNobody
        /// The call is part of what the policy would wait for: the refresh of a token calls through the client that waits for
        /// the token.
        case waitsForItself
    }

    /// What it did.
    public let kind: Kind
    /// The type of the policy.
    public let policy: String
    /// The record of the call, secrets masked; nil for none.
    public var record: CallRecord?

    /// A fault of the policy of that type.
    public init(_ kind: Kind, policy: String, record: CallRecord? = nil) {
        self.kind = kind
        self.policy = policy
        self.record = record
    }
}

extension PolicyFault {
    public var name: String { "policy_fault" }

    public var wasSent: Bool { record?.metrics.attemptCount != 0 }

    public var sentence: String {
        switch kind {
        case .goesOnForEver:
            "the policy \(policy) goes on for ever without an exchange: let it finish, or wait for a time to come"
        case .waitsForNobody:
            "the policy \(policy) waits for a signal that nobody fires: fire it, or wait until a time as well"
        case .waitsForItself:
            "the policy \(policy) would wait for itself: make the calls of a refresh through a client without it"
        }
    }
}
