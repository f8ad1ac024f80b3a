extension Future where Failure: FutureFailure {
    /// A future for `start` to resolve, now or later. If it drops the promise unresolved, the future fails as broken,
    /// naming this place.
    public init(
        file: StaticString = #fileID, line: Int = #line, _ start: (Promise<Value, Failure>) -> Void
    ) {
        let promise = Promise<Value, Failure>(file: file, line: line)
        self = promise.future
        start(promise)
    }

    /// A future for the result of a function that takes a callback. If the function throws the callback away without a
    /// call, the future fails as broken, naming this place.
    public static func calling(
        file: StaticString = #fileID, line: Int = #line,
        _ function: (_ callback: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) -> Future {
        Future(file: file, line: line) { promise in function { promise.resolve($0) } }
    }
}
