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
