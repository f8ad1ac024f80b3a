import HTTPFutures
import TestSupport
import Testing

/// Chains of ten thousand links, with `make soak` of a hundred thousand, on a stack that five hundred nested steps would
/// exhaust.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LongChainTests {
    static let length = Soak.count(100_000, or: 10_000)

    static func chain(on promise: IntPromise) -> IntFuture {
        var future = promise.future
        for _ in 0..<length { future = future.map { $0 + 1 } }
        return future
    }

    @Test func `Ten thousand pending map links resolve on a small stack`() async {
        let result = await inThread {
            let promise = IntPromise()
            let end = Self.chain(on: promise)
            promise.succeed(0)
            return end.result
        }
        #expect(result == .success(Self.length))
    }

    @Test func `Ten thousand pending map links fail on a small stack when the promise is released`() async {
        let result = await inThread {
            let end = Self.chain(on: IntPromise(file: "a", line: 7))
            return end.result
        }
        #expect(result == .failure(.brokenPromise(file: "a", line: 7)))
    }

    @Test func `Ten thousand pending map links are cancelled from the end on a small stack`() async {
        let result = await inThread {
            let promise = IntPromise()
            let cancelled = Counter()
            promise.onCancel { cancelled.add() }
            let end = Self.chain(on: promise)
            end.cancel()
            #expect(end.result == .failure(.cancelled))
            #expect(cancelled.value == 1)
            return promise.future.result
        }
        #expect(result == .failure(.cancelled))
    }

    @Test func `Ten thousand promises of which each follows the last resolve on a small stack`() async {
        let result = await inThread {
            let promise = IntPromise()
            var end = promise.future
            for _ in 0..<Self.length {
                let next = IntPromise()
                next.follow(end)
                end = next.future
            }
            promise.succeed(1)
            return end.result
        }
        #expect(result == .success(1))
    }

    @Test func `Ten thousand map links on a resolved future run on a small stack`() async {
        let result = await inThread {
            var future = IntFuture.success(0)
            for _ in 0..<Self.length { future = future.map { $0 + 1 } }
            return future.result
        }
        #expect(result == .success(Self.length))
    }

    @Test func `Ten thousand nested flatMaps in the tail position run on a small stack`() async {
        @Sendable func countDown(_ left: Int) -> IntFuture {
            left == 0 ? .success(42) : IntFuture.success(left).flatMap { countDown($0 - 1) }
        }
        let result = await inThread { countDown(Self.length).result }
        #expect(result == .success(42))
    }

    @Test func `Ten thousand pending tail flatMaps resolve on a small stack`() async {
        let result = await inThread {
            let source = Log<IntPromise>()
            @Sendable func countDown(_ left: Int) -> IntFuture {
                guard left > 0 else { return .success(42) }
                let promise = IntPromise()
                if left == Self.length { source.add(promise) } else { promise.succeed(left) }
                return promise.future.map { _ in left }.flatMap { countDown($0 - 1) }
            }
            let end = countDown(Self.length)
            source.entries.first?.succeed(0)
            return end.result
        }
        #expect(result == .success(42))
    }
}
