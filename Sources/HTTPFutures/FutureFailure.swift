/// An error type that can say what may happen to any future: it was cancelled, it ran out of time, or nobody will ever
/// resolve it.
///
/// A `Promise` needs such an error type, so that a future always ends. Derived futures may have any error type.
public protocol FutureFailure: Error {
    /// The future was cancelled.
    static var cancelled: Self { get }

    /// A time limit on the future ran out.
    static func timedOut(after limit: Duration) -> Self

    /// The last reference to the promise went away before it was resolved. The place is where the promise was made.
    static func brokenPromise(file: String, line: Int) -> Self
}
