/// What happens around a call, as a value that decides what is done next and never waits.
///
/// Each time a request comes by, a fresh copy handles it: the stored properties are the settings and, as `next` changes
/// them, the state of that request. What several calls share lies in an object that the value refers to.
package protocol CallPolicy: Sendable {
    /// Says what is done next. It never blocks. Events come one at a time, each perhaps on another thread.
    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep
}

/// A policy that has to know what surrounds the call. When its turn comes, that may be on any thread.
package protocol PreparedPolicy: CallPolicy {
    /// Takes note of the caller's task-local values. Called once for each call, where that begins; each request of the call is
    /// handled by a copy of what came of it.
    mutating func prepare()
}

/// What a policy is told.
package enum PolicyEvent: Sendable {
    /// `moment.request` has come by.
    case started
    /// What was sent came to this.
    case answered(Result<Response, HTTPError>)
    /// The time has come, or somebody woke it, or its work is done. It may come too early: look again.
    case resumed
    /// The call was cancelled, or its time ran out, during a wait. Clean up and finish, as a rule with this error.
    case interrupted(HTTPError)
}

/// What a policy wants done.
package enum PolicyStep: Sendable {
    /// Hands the request to what lies within: the next policy, or the client.
    case send(Request)
    /// Waits for the time, or, with nil, until it is woken; never longer than the call may take.
    case wait(until: ContinuousClock.Instant?, CallPhase)
    /// Does work that blocks, once, whatever becomes of the call.
    case run(@Sendable () -> Void)
    /// Has the request sent in the background, beginning with `policy` in place of this one, and goes on at once: this policy
    /// is resumed. Only where `PolicyMoment.canSendInBackground`. Nobody hears of the outcome but `policy`.
    case sendInBackground(Request, policy: any CallPolicy)
    /// Hands the outcome to what lies without: the policy before, or the caller.
    case finish(Result<Response, HTTPError>)
}

extension PolicyStep {
    /// Sends the draft, or finishes with what is wrong with it.
    static func send(_ draft: MutableRequest) -> PolicyStep {
        do { return .send(try Request(draft)) } catch { return .finish(.failure(error)) }
    }
}
