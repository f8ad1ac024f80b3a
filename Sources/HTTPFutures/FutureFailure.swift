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
}
