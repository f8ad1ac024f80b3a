import HTTPAsync
import HTTPCore
import HTTPFutures
import HTTPTesting
import Testing

/// Nested callbacks, more than a dispatcher nests calls, each of which waits for the next.
@Suite(.timeLimit(.minutes(5))) struct NestedWaitTests {
    private static let depth = 40

    private let client = StubClient { .success(Response(request: $0, status: .ok)) }
    private let dispatcher = Dispatcher(.init(running: 1, runningPerHost: 1, idleTime: .milliseconds(50)))

    @Test func `The callback of a call may wait for a call whose callback waits, and so on`() async throws {
        let dispatcher = dispatcher
        @Sendable func nest(_ depth: Int) -> Int {
            guard depth > 0 else { return 0 }
            let promise = IntPromise()
            dispatcher.submit({ () -> Result<Int, HTTPError> in .success(1) }) { result in
                promise.succeed(nest(depth - 1) + ((try? result.get()) ?? 0))
            }
            return (try? promise.future.wait(for: .seconds(20))) ?? -1000
        }
        let found = try await dispatcher.future { .success(nest(Self.depth)) }.get()
        #expect(found == Self.depth)
    }

    @Test func `So may the callback of a future`() async throws {
        let dispatcher = dispatcher
        @Sendable func nest(_ depth: Int) -> Future<Int, HTTPError> {
            guard depth > 0 else { return .success(0) }
            return dispatcher.future { .success(1) }.map { value throws(HTTPError) in
                try nest(depth - 1).wait(for: .seconds(20)) + value
            }
        }
        #expect(try await nest(Self.depth).get() == Self.depth)
        let start = Promise<Int, HTTPError>()
        let end = start.future.map { depth throws(HTTPError) in try nest(depth).wait(for: .seconds(20)) }
        let call = dispatcher.future { Result<Bool, HTTPError>.success(start.succeed(Self.depth)) }
        #expect(try await end.get() == Self.depth)
        #expect(try await call.get())
    }

    @Test func `So may that of a promise that another callback resolves`() {
        let promises = (0...Self.depth).map { _ in IntPromise() }
        let ends = promises.map { promise in promise.future.map { $0 + 1 } }
        for index in 0..<Self.depth {
            promises[index].future.onComplete { _ in
                promises[index + 1].succeed(index + 1)
                #expect((try? ends[index + 1].wait(for: .seconds(20))) == index + 2)
            }
        }
        promises[0].succeed(0)
        #expect(ends[Self.depth].result == .success(Self.depth + 1))
    }
}
