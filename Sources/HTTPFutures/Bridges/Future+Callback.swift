extension Future where Failure: FutureFailure {
    /// A future that `start` resolves, now or later, such as by a callback: `Future { promise in ask { promise.resolve($0) } }`.
    /// If the promise is released unresolved, the future fails as broken, with this location.
    public init(file: StaticString = #fileID, line: Int = #line, _ start: (Promise<Value, Failure>) -> Void) {
        let promise = Promise<Value, Failure>(file: file, line: line)
        self = promise.future
        start(promise)
    }
}
