/// Reports blocking calls on threads of Swift's concurrency pool, in debug builds.
///
/// The compiler refuses such a call in an async function, but not in a function that this one calls. It then takes one of
/// few threads, for which every other task waits. A release build contains nothing of this.
package enum PoolThreadReport {
    /// Called on the thread that is about to be blocked, by `call`.
    @inline(__always)
    package static func note(_ call: @autoclosure () -> String) {
        #if DEBUG
        if isPoolThread { report(call()) }
        #endif
    }

    #if DEBUG
    /// Whether this thread belongs to the pool, by the queue that it works for. Threads of a dispatcher, of a program's own
    /// executors and queues, and the main thread do not.
    static var isPoolThread: Bool {
        guard let label = queueLabel?(nil) else { return false }
        let name = String(cString: label)
        return name == "Swift global concurrent queue" || name.hasSuffix(".cooperative")
    }

    /// The report; nil if there was one for the same place. `isTest`: whether a test runner has this process. It runs even
    /// synchronous tests on the pool, where they may block.
    static func text(_ call: String, at site: CallSite?, isTest: Bool = isTestProcess) -> String? {
        let place = site.map { "\($0.address)" } ?? call
        guard !isTest, reported.withLock({ $0.count < 256 && $0.insert(place).inserted }) else { return nil }
        let function = site.map { " in \($0.function)" } ?? ""
        return """
            Straightline: \(call)\(function) blocks a thread of Swift's concurrency pool, which other tasks wait for. \
            Await it (import HTTPAsync), make it within run { } of a Dispatcher, or on a thread of your own. In debug \
            builds this is reported once for each place.

            """
    }

    @inline(never) private static func report(_ call: String) {
        guard !isTestProcess else { return }
        let stack = CallSite.stack
        // It takes long to find the names of functions: once for each stack.
        guard stack.isEmpty || stacks.withLock({ $0.count < 4096 && $0.insert(stack).inserted }),
            let text = text(call, at: CallSite(in: stack))
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
