extension HTTPError: FutureFailure {
    /// Cancelled without a call, so there is no record.
    public static var cancelled: HTTPError { .cancelled(nil) }

    public static func timedOut(after limit: Duration) -> HTTPError { .timedOut(TimeoutFailure(after: limit)) }

    public static func brokenPromise(file: String, line: Int) -> HTTPError {
        .other(BrokenPromise(file: file, line: line))
    }

    public static func emptyList(file: String, line: Int) -> HTTPError {
        .other(BrokenPromise(file: file, line: line, isEmptyList: true))
    }

    public static func circularWait(of promises: [(file: String, line: Int)]) -> HTTPError {
        let (file, line) = promises.first ?? ("", 0)
        return .other(
            BrokenPromise(file: file, line: line, circle: promises.map { "\($0.file):\($0.line)" }))
    }
}
