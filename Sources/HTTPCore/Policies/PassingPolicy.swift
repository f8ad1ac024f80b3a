/// A policy that never waits: it acts before a request goes on and after its outcome is known.
///
///     struct Stamped: PassingPolicy {
///         func before(_ moment: PolicyMoment) -> PolicyStep { .send(moment.request |> .header("Stamp", "1")) }
///     }
public protocol PassingPolicy: CallPolicy {
    /// The step for a request that arrived: pass it on, which is the default, send another one, or finish.
    mutating func before(_ moment: PolicyMoment) -> PolicyStep

    /// The outcome for the outer policy or the caller: by default that of the request.
    mutating func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError>
}

extension PassingPolicy {
    /// Passes the request on unchanged.
    public func before(_ moment: PolicyMoment) -> PolicyStep { .pass }

    /// Passes the outcome on unchanged.
    public func after(
        _ outcome: Result<Response, HTTPError>, in moment: PolicyMoment
    ) -> Result<Response, HTTPError> { outcome }

    public mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: before(moment)
        case .answered(let outcome): .finish(after(outcome, in: moment))
        // It does not wait, so neither comes.
        case .resumed: .pass
        case .interrupted(let error): .finish(.failure(error))
        }
    }
}

/// A policy whose effect on a request can be known before the request is sent. A cache above it needs to know: what is
/// sent makes the key of what is stored.
package protocol ForeseeablePolicy: CallPolicy {
    /// Whether it may change requests.
    var changesRequests: Bool { get }

    /// The request that it will send for `request`; nil if that shows only then. It must have no effect.
    func foreseen(_ request: Request) -> Request?
}

extension ForeseeablePolicy {
    package var changesRequests: Bool { false }

    package func foreseen(_ request: Request) -> Request? { request }
}

/// A policy that depends on what is below it.
package protocol PlacedPolicy: ForeseeablePolicy {
    /// Called once, when the policy is put around `client`.
    mutating func place(above client: any HTTPClient)

    /// Called for each call, with the policies below that may change its requests, prepared, outermost first.
    mutating func prepare(above policies: [any CallPolicy])
}
