import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct ThenTests {
    @Test func `2.2.2.1 The success callback is called after fulfilment, with the value`() {
        let promise = IntPromise()
        let log = Log<Int>()
        promise.future.onSuccess { log.add($0) }
        promise.succeed(7)
        #expect(log.entries == [7])
    }

    @Test func `2.2.2.2 The success callback is not called before fulfilment`() {
        let promise = IntPromise()
        let log = Log<Int>()
        promise.future.onSuccess { log.add($0) }
        #expect(log.entries.isEmpty)
        promise.succeed(7)
    }

    @Test func `2.2.2.2 The success callback is not called on rejection`() {
        let log = Log<Int>()
        IntFuture.failure(.other(1)).onSuccess { log.add($0) }
        #expect(log.entries.isEmpty)
    }

    @Test func `2.2.2.3 The success callback is called once, however often the promise is resolved`() {
        let promise = IntPromise()
        let log = Log<Int>()
        promise.future.onSuccess { log.add($0) }
        promise.succeed(1)
        promise.succeed(2)
        promise.fail(.other(3))
        #expect(log.entries == [1])
    }

    @Test func `2.2.3.1 The failure callback is called after rejection, with the reason`() {
        let promise = IntPromise()
        let log = Log<Problem>()
        promise.future.onFailure { log.add($0) }
        #expect(log.entries.isEmpty)
        promise.fail(.other(7))
        #expect(log.entries == [.other(7)])
    }

    @Test func `2.2.3.3 The failure callback is called once`() {
        let promise = IntPromise()
        let log = Log<Problem>()
        promise.future.onFailure { log.add($0) }
        promise.fail(.other(1))
        promise.fail(.other(2))
        promise.future.cancel()
        #expect(log.entries == [.other(1)])
    }

    @Test func `2.2.4 A callback caused by a callback runs after it, not inside it`() {
        let first = IntPromise()
        let second = IntPromise()
        let log = Log<String>()
        second.future.onSuccess { _ in log.add("inner") }
        first.future.onSuccess { _ in
            log.add("outer begins")
            second.succeed(2)
            #expect(second.future.result == .success(2))
            log.add("outer ends")
        }
        first.succeed(1)
        #expect(log.entries == ["outer begins", "outer ends", "inner"])
    }

    @Test func `2.2.4 A callback registered on a resolved future within a callback runs after it`() {
        let done = IntFuture.success(1)
        let log = Log<String>()
        done.onSuccess { _ in
            log.add("outer begins")
            done.onSuccess { _ in log.add("inner") }
            log.add("outer ends")
        }
        #expect(log.entries == ["outer begins", "outer ends", "inner"])
    }

    @Test func `2.2.6.1 Success callbacks run in the order of registration`() {
        let promise = IntPromise()
        let log = Log<Int>()
        for index in 0..<100 { promise.future.onSuccess { _ in log.add(index) } }
        promise.succeed(1)
        #expect(log.entries == Array(0..<100))
    }

    @Test func `2.2.6.2 Failure callbacks run in the order of registration`() {
        let promise = IntPromise()
        let log = Log<Int>()
        for index in 0..<100 { promise.future.onFailure { _ in log.add(index) } }
        promise.fail(.other(1))
        #expect(log.entries == Array(0..<100))
    }

    @Test func `2.2.6 Transforms and callbacks share one order`() {
        let promise = IntPromise()
        let log = Log<String>()
        promise.future.onComplete { _ in log.add("callback") }
        let mapped = promise.future.map { value in
            log.add("map")
            return value
        }
        let tapped = promise.future.tap { _ in log.add("tap") }
        promise.succeed(1)
        #expect(log.entries == ["callback", "map", "tap"])
        #expect(mapped.result == .success(1) && tapped.result == .success(1))
    }

    @Test func `2.2.7.1 The value of a transform fulfils the derived future`() {
        #expect(IntFuture.success(1).map { "\($0)" }.result == .success("1"))
        #expect(IntFuture.failure(.other(1)).recover { _ in 2 }.result == .success(2))
    }

    @Test func `2.2.7.2 The error of a transform rejects the derived future`() {
        let mapped = IntFuture.success(1).map { value throws(Problem) -> Int in throw .other(value) }
        #expect(mapped.result == .failure(.other(1)))
        let recovered = IntFuture.failure(.other(1)).recover { _ throws(Problem) -> Int in throw .other(2) }
        #expect(recovered.result == .failure(.other(2)))
    }

    @Test func `2.2.7.3 A value passes a step for failures unchanged`() {
        #expect(IntFuture.success(1).recover { _ in 2 }.result == .success(1))
    }

    @Test func `2.2.7.4 A failure passes a step for values unchanged`() {
        let calls = Counter()
        #expect(IntFuture.failure(.other(1)).map { _ in calls.add() }.result == .failure(.other(1)))
        #expect(calls.value == 0)
    }
}
