/// Reports blocking calls on threads of Swift's concurrency pool and of event loops, in debug builds.
///
/// The compiler refuses such a call in an async function, but not in a function that this one calls. It then takes one of
/// few threads, for which every other task waits. A release build contains nothing of this.
package enum PoolThreadReport {
    /// Called on the thread that is about to be blocked, by `call`.
    @inline(__always)
    package static func note(_ call: @autoclosure () -> String) {
        #if DEBUG
        if isLoopThread { report(call(), on: loopThread) } else if isPoolThread { report(call(), on: poolThread) }
        #endif
    }

    /// Runs `body` as the thread of an event loop, whose tasks and calls wait while it is blocked.
    package static func onLoopThread(_ body: () -> Void) {
        #if DEBUG
        guard let loopKey else { return body() }
        let outer = pthread_getspecific(loopKey)
        pthread_setspecific(loopKey, UnsafeMutableRawPointer(bitPattern: 1))
        defer { pthread_setspecific(loopKey, outer) }
        #endif
        body()
    }

    #if DEBUG
    static let poolThread = "a thread of Swift's concurrency pool, which other tasks wait for"
    private static let loopThread = "the thread of a client's executor, which its calls and other tasks wait for"

    private static var isLoopThread: Bool { loopKey.map { pthread_getspecific($0) != nil } ?? false }

    private static let loopKey: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Whether this thread belongs to the pool, by the queue that it works for. Threads of a dispatcher, of a program's own
    /// executors and queues, and the main thread do not.
    static var isPoolThread: Bool {
        guard let label = queueLabel?(nil) else { return false }
        let name = String(cString: label)
        return name == "Swift global concurrent queue" || name.hasSuffix(".cooperative")
    }

    /// The report; nil if there was one for the same place. `isTest`: whether a test runner has this process. It runs even
    /// synchronous tests on the pool, where they may block.
    static func text(
        _ call: String, at site: CallSite?, on thread: String = poolThread, isTest: Bool = isTestProcess
    ) -> String? {
        let place = site.map { "\($0.address)" } ?? call
        guard !isTest, reported.withLock({ $0.count < 256 && $0.insert(place).inserted }) else { return nil }
        let function = site.map { " in \($0.function)" } ?? ""
        return """
            Straightline: \(call)\(function) blocks \(thread). \
            Await it (import HTTPAsync), make it within run { } of a Dispatcher, or on a thread of your own. In debug \
            builds this is reported once for each place.

            """
    }

    @inline(never) private static func report(_ call: String, on thread: String) {
        guard !isTestProcess else { return }
        let stack = CallSite.stack
        // It takes long to find the names of functions: once for each stack.
        guard stack.isEmpty || stacks.withLock({ $0.count < 4096 && $0.insert(stack).inserted }),
            let text = text(call, at: CallSite(in: stack), on: thread)
        else { return }
        _ = Array(text.utf8).withUnsafeBytes { SystemCall.write(STDERR_FILENO, $0) }
    }

    private static let reported = Locked<Set<String>>([])
    private static let stacks = Locked<Set<[UInt]>>([])

    private static let isTestProcess = CommandLine.arguments.contains { argument in
        argument == "--testing-library" || argument.hasSuffix(".xctest") || argument.hasSuffix("/xctest")
    }

    /// `dispatch_queue_get_label`, whose argument nil means the current queue; nil in a program without Dispatch.
    private static let queueLabel: (@convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?)? = {
        dlsym(SystemLibrary.program, "dispatch_queue_get_label").map {
            unsafeBitCast($0, to: (@convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?).self)
        }
    }()
    #endif
}
