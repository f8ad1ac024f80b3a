/// A client that changes the surroundings of another's calls, but neither requests nor results.
package protocol TransparentClient: ClockedClient, WrappingClient {
    var next: any HTTPClient { get }

    /// Runs a batch of the next client in these surroundings.
    func surround<Value>(_ operation: () -> Value) -> Value
}

extension TransparentClient {
    package var clock: CallClock { next.callClock }
    package var answersItself: Bool { next.isOffline }

    package var wrapped: any HTTPClient { next }
    package var mayChangeRequests: Bool { false }

    package func surround<Value>(_ operation: () -> Value) -> Value { operation() }
}
