import Dispatch
import HTTPCore

/// The outcomes of a batch, added by any thread and taken by the thread that made the batch.
final class ResultQueue<Outcome: Sendable>: Sendable {
    struct Arrival: Sendable {
        let place: Int
        let outcome: Outcome
    }

    private let arrivals = Locked(Chain())
    private let bell = DispatchSemaphore(value: 0)

    /// First in, first out. Taken outcomes are released at once.
    private struct Chain {
        private var incoming: [Arrival] = []
        private var outgoing: [Arrival] = []

        mutating func append(_ arrival: Arrival) { incoming.append(arrival) }

        mutating func popFirst() -> Arrival? {
            if outgoing.isEmpty {
                outgoing = incoming.reversed()
                incoming.removeAll(keepingCapacity: true)
            }
            return outgoing.popLast()
        }
    }

    func put(_ outcome: Outcome, at place: Int) {
        arrivals.withLock { $0.append(Arrival(place: place, outcome: outcome)) }
        bell.signal()
    }

    /// Blocks until there is an outcome.
    func next() -> Arrival {
        while true {
            bell.wait()
            if let arrival = arrivals.withLock({ $0.popFirst() }) { return arrival }
        }
    }
}
