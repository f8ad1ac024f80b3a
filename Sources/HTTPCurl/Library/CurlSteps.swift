import HTTPCore
import Synchronization

/// The steps of a multi handle: each time libcurl runs is a step, during which it calls back.
///
/// The thread that has the handle advances it; any thread may read it.
final class CurlSteps: Sendable {
    struct Position: Equatable {
        /// Odd during a step.
        fileprivate var step: UInt64
        /// Odd during a callback.
        fileprivate var call: UInt64

        /// Whether libcurl is running, outside of the caller's code.
        var isReading: Bool { !step.isMultiple(of: 2) && call.isMultiple(of: 2) }
    }

    // Only one thread writes, so a load and a store suffice. Other threads see each change eventually, which is enough.
    private let step = Atomic<UInt64>(0)
    private let call = Atomic<UInt64>(0)

    /// The current step or, after one, the next even number.
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
