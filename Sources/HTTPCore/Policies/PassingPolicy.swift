/// A policy that never waits: it acts before a request is sent and after its outcome is known.
package protocol PassingPolicy: CallPolicy {
    /// Passes the request on unchanged by default.
    mutating func before(_ moment: PolicyMoment) -> PolicyStep

    /// Passes the outcome on unchanged by default.
    mutating func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError>
}

extension PassingPolicy {
    package func before(_ moment: PolicyMoment) -> PolicyStep { .pass }

    package func after(
        _ outcome: Result<Response, HTTPError>, in moment: PolicyMoment
    ) -> Result<Response, HTTPError> { outcome }

    package mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: before(moment)
        case .answered(let outcome): .finish(after(outcome, in: moment))
        // It never waits, so neither comes.
        case .resumed: .pass
        case .interrupted(let error): .finish(.failure(error))
        }
    }
}
