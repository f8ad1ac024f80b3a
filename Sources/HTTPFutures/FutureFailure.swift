/// An error type that can express the failures of any future: cancelled, timed out, or never resolved.
///
/// The future of a `Promise` has such an error type, so that it always ends. Derived futures may have any error type.
public protocol FutureFailure: Error {
    /// The future was cancelled.
    static var cancelled: Self { get }

    /// The time limit of the future expired.
    static func timedOut(after limit: Duration) -> Self

    /// The promise was released unresolved. The location is where it was made.
    static func brokenPromise(file: String, line: Int) -> Self

    /// Each of the promises follows a future that waits for the next, and the last for the first, so that none would
    /// ever be resolved. The locations are where they were made. By default it is `brokenPromise` with all of them.
    static func circularWait(of promises: [(file: String, line: Int)]) -> Self

    /// The first of several futures was wanted, and there were none. The location is where. By default it is
    /// `brokenPromise` with that.
    static func emptyList(file: String, line: Int) -> Self
}

extension FutureFailure {
    public static func emptyList(file: String, line: Int) -> Self { .brokenPromise(file: file, line: line) }

    public static func circularWait(of promises: [(file: String, line: Int)]) -> Self {
        let others = promises.dropLast().map { "\($0.file):\($0.line), which waits for " }.joined()
        return .brokenPromise(file: others + (promises.last?.file ?? ""), line: promises.last?.line ?? 0)
    }
}
