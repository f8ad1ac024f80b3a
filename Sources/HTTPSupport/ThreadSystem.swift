import Synchronization

/// What a thread has from the system: the time, sleep, other threads and random numbers. A simulation gives its threads its
/// own, so that all code on them runs in simulated time, and the same way each time.
package protocol SimulatedSystem: AnyObject, Sendable {
    /// The simulated time.
    var now: TimePoint { get }

    /// The same in seconds since 1970.
    var unixTime: Double { get }

    /// The next number of the simulation's generator.
    func nextRandomNumber() -> UInt64

    /// Lets others run and time pass until `isOver` is true, which is the result, or until `end`.
    func wait(until end: TimePoint?, _ isOver: @escaping @Sendable () -> Bool) -> Bool

    /// Runs `body` on another thread of the simulation. False if the system refuses one.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool

    /// Where tasks run that belong to no task of the simulation.
    var taskExecutor: any TaskExecutor { get }

    /// What stands for `object`, which belongs to the process, within the simulation; made once.
    func counterpart<Object: AnyObject & Sendable>(of object: any AnyObject & Sendable, _ make: () -> Object) -> Object
}

/// The simulation that this thread belongs to.
package enum ThreadSystem {
    private final class Box {
        let system: any SimulatedSystem

        init(_ system: any SimulatedSystem) { self.system = system }
    }

    /// Nil on every thread of a program: then the system itself is asked.
    package static var current: (any SimulatedSystem)? {
        isUsed.load(ordering: .relaxed) ? boxes.current?.system : nil
    }

    /// Runs `operation` on this thread as one of the simulation; nil for one of the process.
    package static func run<Value>(in system: (any SimulatedSystem)?, _ operation: () -> Value) -> Value {
        if system != nil { isUsed.store(true, ordering: .relaxed) }
        return boxes.run(with: system.map(Box.init), operation)
    }

    /// Whether any thread belongs to one, or has done so.
    private static let isUsed = Atomic(false)

    /// If the process has used up its keys, nothing can be simulated.
    private static let boxes = ThreadValue<Box>()
}

/// The system's random numbers, and within a simulation those of its seed.
package struct ThreadRandom: RandomNumberGenerator {
    package init() {}

    package func next() -> UInt64 {
        if let system = ThreadSystem.current { return system.nextRandomNumber() }
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
