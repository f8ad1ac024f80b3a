import CurlFloor
import Dispatch
import Synchronization

/// How a thread is woken.
protocol Wake: Sendable {
    func ring()
    func sleep()
}

extension DispatchSemaphore: Wake {
    func ring() { signal() }
    func sleep() { wait() }
}

/// A POSIX mutex and a condition.
final class ConditionBell: Wake, @unchecked Sendable {
    private let bell: OpaquePointer

    init() throws {
        guard let bell = bell_create() else { throw Failure("there is no memory for a condition") }
        self.bell = bell
    }

    deinit { bell_destroy(bell) }

    func ring() { bell_ring(bell) }
    func sleep() { bell_wait(bell) }
}

/// A bare thread that does the same thing each time it is rung for: what a dispatcher does at the least.
final class Partner: Sendable {
    private let thread: Body

    init(woken bell: some Wake, _ work: @escaping @Sendable () -> Void) throws {
        thread = Body(bell, work)
        let body = Unmanaged.passRetained(thread)
        let runBody: @convention(c) (UnsafeMutableRawPointer?) -> Void = { body in
            if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        }
        guard thread_start(runBody, body.toOpaque()) == 0 else {
            body.release()
            throw Failure("there is no thread")
        }
    }

    deinit { thread.end() }

    func ring() { thread.bell.ring() }

    private final class Body: Sendable {
        let bell: any Wake
        private let work: @Sendable () -> Void
        private let isOver = Atomic(false)

        init(_ bell: any Wake, _ work: @escaping @Sendable () -> Void) {
            self.bell = bell
            self.work = work
        }

        func run() {
            while true {
                bell.sleep()
                if isOver.load(ordering: .acquiring) { return }
                work()
            }
        }

        func end() {
            isOver.store(true, ordering: .releasing)
            bell.ring()
        }
    }
}
