/// A client that changes what surrounds the calls of another, and neither requests nor outcomes.
package protocol TransparentClient: ClockedClient {
    var next: any HTTPClient { get }

    /// Runs a batch of the next client in these surroundings.
    func surround<Value>(_ operation: () -> Value) -> Value
}

extension TransparentClient {
    package var clock: CallClock { next.callClock }

    package func surround<Value>(_ operation: () -> Value) -> Value { operation() }
}
