/// An error type that can express the failures of any future: cancelled, timed out, or never resolved.
///
/// The future of a `Promise` has such an error type, so that it always ends. Derived futures may have any error type.
public protocol FutureFailure: Error {
    /// The future was cancelled.
    static var cancelled: Self { get }

    /// The time limit of the future passed.
    static func timedOut(after limit: Duration) -> Self

    /// The last reference to the promise went away before it was resolved. The location is where the promise was made.
    static func brokenPromise(file: String, line: Int) -> Self
}
