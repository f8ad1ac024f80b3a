extension Result where Success: Sendable {
    /// A future that has this result.
    public var future: Future<Success, Failure> { Future(self) }
}
