/// Distinguishes the thread that makes a call from others: the mark does not move with work to other threads.
enum CallingThread {
    @TaskLocal private static var isMarked = false

    /// Runs `call` with this thread marked.
    static func mark<Value>(_ call: () throws -> Value) rethrows -> Value {
        try $isMarked.withValue(true, operation: call)
    }

    /// Whether this is the thread of a marked call.
    static var isHere: Bool { isMarked }
}
