import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct StateTests {
    @Test func `2.1.1.1 A pending future may become fulfilled`() {
        let promise = IntPromise()
        #expect(promise.future.isPending && promise.future.result == nil)
        #expect(promise.succeed(1))
        #expect(promise.future.result == .success(1))
    }

    @Test func `2.1.1.1 A pending future may become rejected`() {
        let promise = IntPromise()
        #expect(promise.fail(.other(1)))
        #expect(promise.future.result == .failure(.other(1)))
    }

    @Test func `2.1.2.1 A fulfilled future does not change its state`() {
        let promise = IntPromise()
        promise.succeed(1)
        #expect(!promise.fail(.other(1)))
        #expect(!promise.future.cancel())
        #expect(promise.future.result == .success(1))
    }

    @Test func `2.1.2.2 The value of a fulfilled future does not change`() {
        let promise = IntPromise()
        promise.succeed(1)
        #expect(!promise.succeed(2))
        #expect(promise.future.result == .success(1))
    }

    @Test func `2.1.3.1 A rejected future does not change its state`() {
        let promise = IntPromise()
        promise.fail(.other(1))
        #expect(!promise.succeed(1))
        #expect(!promise.future.cancel())
        #expect(promise.future.result == .failure(.other(1)))
    }

    @Test func `2.1.3.2 The reason of a rejected future does not change`() {
        let promise = IntPromise()
        promise.fail(.other(1))
        #expect(!promise.fail(.other(2)))
        #expect(promise.future.result == .failure(.other(1)))
    }

    @Test func `A promise released unresolved fails its future, with its location`() {
        let future = IntPromise(file: "Here.swift", line: 12).future
        #expect(future.result == .failure(.brokenPromise(file: "Here.swift", line: 12)))
    }

    @Test func `The location of a promise is where it was made`() {
        let line = #line + 1
        let future = IntPromise().future
        #expect(future.result == .failure(.brokenPromise(file: #fileID, line: line)))
    }

    @Test func `A resolved promise may be released`() {
        var promise: IntPromise? = IntPromise()
        let future = promise?.future
        promise?.succeed(1)
        promise = nil
        #expect(future?.result == .success(1))
    }
}
