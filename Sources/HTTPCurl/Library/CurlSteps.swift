import HTTPCore
import Synchronization

/// Where a multi handle is in its work: each time libcurl is asked to go on is a step, in which libcurl calls back.
///
/// The thread that has the handle moves it on; any thread may ask.
final class CurlSteps: Sendable {
    struct Position: Equatable {
        /// Odd within a step.
        fileprivate var step: UInt64
        /// Odd within a call back.
        fileprivate var call: UInt64

        /// Whether libcurl is at work, and no code of a caller is.
        var isReading: Bool { !step.isMultiple(of: 2) && call.isMultiple(of: 2) }
    }

    // Only one thread writes, so a load and a store do. Each change is seen by others in the end, and that is enough.
    private let step = Atomic<UInt64>(0)
    private let call = Atomic<UInt64>(0)

    /// The step under way, or behind one, the next even number.
    var number: UInt64 { step.load(ordering: .relaxed) }

    var position: Position {
        Position(step: number, call: call.load(ordering: .relaxed))
    }

    func begin() { Self.advance(step) }
    func end() { Self.advance(step) }

    func beginCall() { Self.advance(call) }
    func endCall() { Self.advance(call) }

    private static func advance(_ counter: borrowing Atomic<UInt64>) {
        counter.store(counter.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}
