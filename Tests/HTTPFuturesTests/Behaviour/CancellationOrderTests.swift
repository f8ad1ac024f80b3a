import HTTPFutures
import Synchronization
import Testing

/// An error that is requested when a future is cancelled, and records the moment.
private struct Asked: FutureFailure {
    static let moment = Mutex<(@Sendable () -> Void)?>(nil)

    static var cancelled: Asked {
        moment.withLock { $0 }?()
        return Asked()
    }

    static func timedOut(after limit: Duration) -> Asked { Asked() }
    static func brokenPromise(file: String, line: Int) -> Asked { Asked() }
}

@Suite(.serialized) struct CancellationOrderTests {
    @Test func `When a future is seen as cancelled, its source is cancelled, too`() {
        let promise = Promise<Int, Asked>()
        let derived = promise.future.mapError(to: Problem.self) { _ in .other(1) }
        let seen = Log<Bool>()
        // While its source is being cancelled, the derived future has not ended.
        Asked.moment.withLock { $0 = { [future = derived] in seen.add(future.isPending) } }
        defer { Asked.moment.withLock { $0 = nil } }
        derived.cancel()
        #expect(seen.entries == [true])
        #expect(derived.result == .failure(.cancelled))
        #expect(!promise.future.isPending)
    }

    @Test func `That holds for every link of a chain`() {
        let promise = Promise<Int, Asked>()
        let middle = promise.future.map { $0 + 1 }
        let end = middle.mapError(to: Problem.self) { _ in .other(1) }
        let seen = Log<[Bool]>()
        Asked.moment.withLock { $0 = { seen.add([end.isPending, promise.future.isPending]) } }
        defer { Asked.moment.withLock { $0 = nil } }
        end.cancel()
        // The link in the middle ends first, then the source.
        #expect(seen.entries == [[true, true], [true, true]])
        #expect(!middle.isPending && !promise.future.isPending)
    }
}
