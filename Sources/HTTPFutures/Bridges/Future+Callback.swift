extension Future where Failure: FutureFailure {
    /// A future that `start` resolves, now or later. If the promise is released unresolved, the future fails as broken,
    /// with this location.
    public init(file: StaticString = #fileID, line: Int = #line, _ start: (Promise<Value, Failure>) -> Void) {
        let promise = Promise<Value, Failure>(file: file, line: line)
        self = promise.future
        start(promise)
    }

    /// A future for the result of a function that takes a callback. If the function releases the callback without
    /// calling it, the future fails as broken, with this location.
    public static func calling(
        file: StaticString = #fileID, line: Int = #line,
        _ function: (_ callback: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) -> Future {
        Future(file: file, line: line) { promise in function { promise.resolve($0) } }
    }
}
