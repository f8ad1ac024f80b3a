import Dispatch
import HTTPCore

/// What is to happen at a certain time, unless it is called off.
final class Alarm: Sendable {
    private let id: UInt64

    init(at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
        id = Alarms.shared.add(deadline, action)
    }

    /// Lets go of the action at once. It may be running already.
    func cancel() { Alarms.shared.remove(id) }
}

/// All alarms of the process, earliest first, on a queue of their own. Each action runs by itself, so that a slow one
/// holds up no other.
private final class Alarms: Sendable {
    static let shared = Alarms()

    typealias Action = @Sendable () -> Void

    private struct State {
        var lastID: UInt64 = 0
        var actions: [UInt64: Action] = [:]
        /// May have entries whose action was called off.
        var schedule = Heap<Entry>()
        /// The times at which the queue will look, the earliest last.
        var armed: [ContinuousClock.Instant] = []
    }

    private struct Entry: Comparable {
        let deadline: ContinuousClock.Instant
        let id: UInt64

        static func < (left: Entry, right: Entry) -> Bool { (left.deadline, left.id) < (right.deadline, right.id) }
    }

    private let queue = DispatchQueue(label: "straightline.alarms")
    private let state = Locked(State())

    func add(_ deadline: ContinuousClock.Instant, _ action: @escaping Action) -> UInt64 {
        let (id, arming) = state.withLock { state in
            state.lastID += 1
            state.actions[state.lastID] = action
            state.schedule.insert(Entry(deadline: deadline, id: state.lastID))
            return (state.lastID, Self.arm(&state))
        }
        look(at: arming)
        return id
    }

    func remove(_ id: UInt64) {
        // The action is returned so that it goes after the lock: what it holds may run foreign code then.
        _ = state.withLock { state in
            let action = state.actions.removeValue(forKey: id)
            // Alarms that are called off, as most are, must not pile up until their time.
            if state.schedule.count > 2 * state.actions.count + 64 {
                state.schedule.filter { [actions = state.actions] in actions[$0.id] != nil }
            }
            return action
        }
    }

    private static func arm(_ state: inout State) -> ContinuousClock.Instant? {
        guard let earliest = state.schedule.first?.deadline, state.armed.last.map({ earliest < $0 }) ?? true else {
            return nil
        }
        state.armed.append(earliest)
        return earliest
    }

    private func look(at time: ContinuousClock.Instant?) {
        guard let time else { return }
        let interval = ContinuousClock.now.duration(to: time).dispatchInterval
        queue.asyncAfter(deadline: .now() + interval) { [self] in fire() }
    }

    private func fire() {
        let (due, arming) = state.withLock { state in
            let now = ContinuousClock.now
            var due: [Action] = []
            while let entry = state.schedule.first, entry.deadline <= now {
                state.schedule.removeFirst()
                if let action = state.actions.removeValue(forKey: entry.id) { due.append(action) }
            }
            while let armed = state.armed.last, armed <= now { state.armed.removeLast() }
            return (due, Self.arm(&state))
        }
        look(at: arming)
        // Serial queues, for those get threads also while all of the global queue's are blocked.
        for action in due { DispatchQueue(label: "straightline.alarm").async(execute: action) }
    }
}
