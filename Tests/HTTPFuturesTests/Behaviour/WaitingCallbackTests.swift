import HTTPFutures
import Testing

/// A callback that waits runs the queued callbacks of its thread, and must leave the rest unchanged.
@Suite(.timeLimit(.minutes(5))) struct WaitingCallbackTests {
    @Test func `The callbacks caused by a waiting transform run before the transform's future ends`() {
        let promise = IntPromise()
        let next = promise.future.map { $0 + 1 }
        let calls = Counter()
        promise.future.onComplete { _ in calls.add() }
        let outer = IntFuture.success(1).map { value throws(Problem) in
            promise.succeed(value)
            return try next.wait()
        }
        #expect(outer.result == .success(2))
        #expect(calls.value == 1)
    }

    @Test(arguments: [false, true]) func `A callback that waits leaves the rest to run, in order`(isDerived: Bool) {
        let first = IntPromise()
        let second = IntPromise()
        let next = second.future.map { $0 + 1 }
        let log = Log<String>()
        second.future.onComplete { _ in log.add("second") }
        // Without a handle, only the runner of its callbacks keeps a derived future alive.
        let register = { (future: IntFuture) in
            future.onComplete { _ in
                second.succeed(1)
                log.add("next \((try? next.wait()) ?? 0)")
            }
            future.onComplete { _ in log.add("first") }
        }
        register(isDerived ? first.future.map { $0 } : first.future)
        first.succeed(1)
        #expect(log.entries == ["first", "next 2", "second"])
    }

    @Test func `Nested waiting callbacks all return, and every callback runs once`() {
        let promises = (0..<6).map { _ in IntPromise() }
        let log = Log<String>()
        var nexts: [IntFuture] = []
        for index in promises.indices.reversed() {
            let future = promises[index].future.map { $0 }
            let (inner, innerNext) = (promises.dropFirst(index + 1).first, nexts.last)
            nexts.append(future.map { $0 })
            future.onComplete { _ in
                inner?.succeed(index)
                _ = try? innerNext?.wait()
                log.add("waited \(index)")
            }
            future.onComplete { _ in log.add("then \(index)") }
        }
        promises[0].succeed(0)
        #expect(log.entries.sorted() == (0..<6).map { "then \($0)" } + (0..<6).map { "waited \($0)" })
    }
}
