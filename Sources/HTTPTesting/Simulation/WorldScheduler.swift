import Dispatch
import HTTPSupport
import Synchronization

/// The threads of a world, its time, and what is due.
///
/// One thread runs at a time: it runs until it waits, and then runs what is ready and what is due next, or gives the turn to
/// a thread whose wait is over. Time passes only when nothing is ready. So the same seed does the same each time, whatever the
/// processors do.
final class WorldScheduler: SimulatedSystem {
    typealias Action = @Sendable () -> Void

    /// Why a world ends before its users do.
    enum Ending: Sendable, Hashable {
        case tooManySteps(Int)
        case stuck
    }

    private final class Waiter: Sendable {
        let isOver: @Sendable () -> Bool
        /// Whether its thread runs an action meanwhile. A wait within that ends first, as it is on the same stack.
        let isBusy = Atomic(false)
        private let turn = DispatchSemaphore(value: 0)
        private let result = Atomic(false)

        init(_ isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }

        func resume(_ isOver: Bool) {
            result.store(isOver, ordering: .relaxed)
            turn.signal()
        }

        func wait() -> Bool {
            turn.wait()
            return result.load(ordering: .relaxed)
        }
    }

    private enum Item: Sendable {
        case action(Action)
        case thread(Action)
        /// A thread that goes on, because its wait is over or because its time has come.
        case waiter(Waiter, isOver: Bool)
    }

    private struct Timer: Sendable {
        let instant: TimePoint
        /// Orders what is due at one instant.
        let key: UInt64
        let isPending: @Sendable () -> Bool
        let item: Item

        /// Whether it ends the wait of a thread that is not there to go on.
        var isHeld: Bool {
            if case .waiter(let waiter, _) = item { waiter.isBusy.load(ordering: .relaxed) } else { false }
        }
    }

    private struct State {
        var ready: [Item] = []
        /// The index of the first item that has not been taken.
        var position = 0
        var waiters: [Waiter] = []
        var timers: [Timer] = []
        var threads = 0
        var steps = 0
        var limit: Int
        var ending: Ending?
        var counterparts:
            [ObjectIdentifier: (original: any AnyObject & Sendable, counterpart: any AnyObject & Sendable)] = [:]
        var numbers: SplitMix64

        /// The next item, and those that have run, once it is the last.
        mutating func takeReady() -> (item: Item?, old: [Item]) {
            guard position < ready.count else { return (nil, []) }
            let item = ready[position]
            position += 1
            guard position == ready.count else { return (item, []) }
            defer { (ready, position) = ([], 0) }
            return (item, ready)
        }
    }

    /// Far from every time of the system's clock, so that one of those is recognized.
    static let start = TimePoint(nanoseconds: 1 << 60)
    /// The example of RFC 9110: Sun, 06 Nov 1994 08:49:37 GMT.
    static let startDate = 784_111_777.0
    /// The steps that a world may take after its end.
    private static let lastSteps = 10_000

    private let seed: UInt64
    private let time = Atomic(start.nanoseconds)
    private let state: Locked<State>
    /// What comes from threads that are none of the world's.
    private let foreign = DispatchSemaphore(value: 0)
    let hasForeign = Atomic(false)
    private let isEnding = Atomic(false)
    /// Called once if the world cannot end: its thread does not come back.
    private let abandon: Action
    /// Ends the calls and users.
    private let close = Locked<Action> {}

    init(seed: UInt64, limit: Int, abandon: @escaping Action) {
        self.seed = seed
        self.abandon = abandon
        state = Locked(State(limit: limit, numbers: SplitMix64(seed, .code)))
    }

    /// What ends the calls and users of a world that has to end. Set before anything runs.
    func onEnding(_ action: @escaping @Sendable () -> Void) { close.withLock { [action] in $0 = action } }

    var ending: Ending? { state.withLock { $0.ending } }

    // MARK: As the threads' system

    var now: TimePoint { TimePoint(nanoseconds: time.load(ordering: .relaxed)) }
    var elapsed: Duration { Self.start.duration(to: now) }
    var unixTime: Double { Self.startDate + elapsed / .seconds(1) }

    var taskExecutor: any TaskExecutor { WorldExecutor(self) }

    func nextRandomNumber() -> UInt64 { state.withLock { $0.numbers.next() } }

    func counterpart<Object: AnyObject & Sendable>(of object: any AnyObject & Sendable, _ make: () -> Object) -> Object
    {
        let id = ObjectIdentifier(object)
        if let known = state.withLock({ $0.counterparts[id]?.counterpart }) as? Object { return known }
        let made = make()
        state.withLock { $0.counterparts[id] = (object, made) }
        return made
    }

    func start(_ body: @escaping Action) -> Bool {
        state.withLock { state in
            state.threads += 1
            state.ready.append(.thread(body))
        }
        return true
    }

    func wait(until end: TimePoint?, _ isOver: @escaping @Sendable () -> Bool) -> Bool {
        // A thread of nobody's would run the world beside its own.
        guard ThreadSystem.current === self else {
            hasForeign.store(true, ordering: .relaxed)
            return isOver()
        }
        // Code that goes on for ever without a wait would never be given up.
        if isEnding.load(ordering: .relaxed) { countStep() }
        if isOver() { return true }
        if let end, end <= now {
            note(end)
            return false
        }
        let waiter = Waiter(isOver)
        state.withLock { state in
            state.waiters.append(waiter)
            guard let end else { return }
            state.timers.append(
                Timer(instant: end, key: key(at: end), isPending: { true }, item: .waiter(waiter, isOver: false)))
        }
        while true {
            switch next() {
            case .action(let action):
                waiter.isBusy.store(true, ordering: .relaxed)
                action()
                waiter.isBusy.store(false, ordering: .relaxed)
            case .waiter(let other, let isOver):
                guard other !== waiter else { return isOver }
                other.resume(isOver)
                return waiter.wait()
            case .thread(let body):
                startThread(body)
                return waiter.wait()
            case nil: finish(by: .stuck)
            }
        }
    }

    // MARK: What is due

    /// Runs `action` once all that is ready now has run. Any thread may call it.
    func add(_ action: @escaping Action) { bring { $0.ready.append(.action(action)) } }

    /// Wakes the world for what a thread that is none of its own brings, and keeps that in mind: before, as the world may be
    /// over right behind it.
    private func bring(_ item: (inout State) -> Void) {
        let isForeign = ThreadSystem.current !== self
        if isForeign { hasForeign.store(true, ordering: .relaxed) }
        state.withLock { item(&$0) }
        if isForeign { foreign.signal() }
    }

    /// Runs `action` at `instant`, if `isPending` is still true then.
    ///
    /// - Parameter key: Its place among what is due at one instant. By default that of all other waits for this instant, which
    ///   end in the order in which they began.
    func add(
        at instant: TimePoint, key: UInt64? = nil, if isPending: @escaping @Sendable () -> Bool,
        _ action: @escaping Action
    ) {
        guard instant > now else {
            note(instant)
            return add { if isPending() { action() } }
        }
        let timer = Timer(
            instant: instant, key: key ?? self.key(at: instant), isPending: isPending, item: .action(action))
        bring { $0.timers.append(timer) }
    }

    /// All drivers of calls have the same order at one instant, whatever else they wait for: so this does not count waits.
    private func key(at instant: TimePoint) -> UInt64 { key(.order, Int(truncatingIfNeeded: instant.nanoseconds)) }

    func key(_ purpose: SplitMix64.Purpose, _ index: Int) -> UInt64 {
        var numbers = SplitMix64(seed, purpose, index)
        return numbers.next()
    }

    /// A time long before the world's is one of the system's clock.
    private func note(_ instant: TimePoint) {
        if instant < Self.start - .seconds(1 << 20) { hasForeign.store(true, ordering: .relaxed) }
    }

    /// Runs everything until all threads but this one have ended, and nothing is due any more.
    func finish() {
        _ = wait(until: nil) { [state] in
            let (isQuiet, timers) = state.withLock { ($0.threads == 0 && $0.ready.isEmpty, $0.timers) }
            return isQuiet && !timers.contains { $0.isPending() }
        }
    }

    /// Forgets what is not due any more.
    func clear() {
        // Released outside of the lock: it runs foreign code.
        let (timers, ready, counterparts) = state.withLock { state in
            defer { (state.timers, state.ready, state.position, state.counterparts) = ([], [], 0, [:]) }
            return (state.timers, state.ready, state.counterparts)
        }
        withExtendedLifetime((timers, ready, counterparts)) {}
        close.withLock { $0 = {} }
    }

    /// What runs now; nil if nothing is due any more.
    private func next() -> Item? {
        countStep()
        while true {
            // What has run is released outside of the lock: it runs foreign code.
            let (item, old) = state.withLock { $0.takeReady() }
            if let item { return withExtendedLifetime(old) { item } }
            let waiters = state.withLock { $0.waiters }
            let over = waiters.first { !$0.isBusy.load(ordering: .relaxed) && $0.isOver() }
            if let over { return begin(.waiter(over, isOver: true)) }
            if let item = takeDue() { return begin(item) }
            // A thread that is none of the world's may be about to do something for it.
            guard foreign.wait(timeout: .now() + .milliseconds(100)) == .success else { return nil }
        }
    }

    private func countStep() {
        let isBeyond = state.withLock { state in
            state.steps += 1
            return state.steps > state.limit
        }
        if isBeyond { finish(by: .tooManySteps(state.withLock { $0.limit })) }
    }

    /// `item`, which waits no more if it is a waiter.
    private func begin(_ item: Item) -> Item {
        guard case .waiter(let waiter, _) = item else { return item }
        state.withLock { state in
            state.waiters.removeAll { $0 === waiter }
            state.timers.removeAll { if case .waiter(let other, _) = $0.item { other === waiter } else { false } }
        }
        return item
    }

    /// Lets time pass until something is due. The seed decides what comes first at one instant.
    private func takeDue() -> Item? {
        let timers = state.withLock { state in
            defer { state.timers = [] }
            return state.timers
        }
        var pending = timers.filter { $0.isPending() }
        let first = pending.indices.filter { !pending[$0].isHeld }.min { one, other in
            let (one, other) = (pending[one], pending[other])
            return one.instant == other.instant ? one.key < other.key : one.instant < other.instant
        }
        let timer = first.map { pending.remove(at: $0) }
        // Others may have come meanwhile, from threads that are none of the world's.
        state.withLock { $0.timers = pending + $0.timers }
        guard let timer else { return nil }
        time.store(max(time.load(ordering: .relaxed), timer.instant.nanoseconds), ordering: .relaxed)
        return timer.item
    }

    // MARK: Threads

    private func startThread(_ body: @escaping Action) {
        let problem = ThreadSystem.run(in: nil) {
            DetachedThread.start(stackBytes: 1 << 20) { [self] in
                ThreadSystem.run(in: self) {
                    body()
                    leave()
                }
            }
        }
        if problem != 0 { giveUp() }
    }

    /// Gives the turn to another thread, at the end of this one.
    private func leave() {
        state.withLock { $0.threads -= 1 }
        while true {
            switch next() {
            case .action(let action): action()
            case .waiter(let waiter, let isOver): return waiter.resume(isOver)
            case .thread(let body): return startThread(body)
            case nil: finish(by: .stuck)
            }
        }
    }

    // MARK: Its end

    /// The world has to end: its calls and users are cancelled. If that does not help, nothing will.
    private func finish(by ending: Ending) {
        let isFirst = state.withLock { state in
            guard state.ending == nil else { return false }
            state.ending = ending
            state.limit = state.steps + Self.lastSteps
            return true
        }
        guard isFirst else { return giveUp() }
        isEnding.store(true, ordering: .relaxed)
        close.withLock { $0 }()
    }

    /// Threads cannot be ended from outside: this one and the others stay as they are.
    private func giveUp() {
        ThreadSystem.run(in: nil) { abandon() }
        while true { DispatchSemaphore(value: 0).wait() }
    }
}
