import Dispatch
import Foundation
import HTTPFutures
import Synchronization
import Testing

enum Problem: FutureFailure, Equatable {
    case cancelled
    case timedOut(after: Duration)
    case brokenPromise(file: String, line: Int)
    case other(Int)
}

/// A failure that cannot say that its future was cancelled.
struct Plain: Error, Equatable {}

extension Future where Failure == Problem {
    var plain: Future<Value, Plain> { mapError(to: Plain.self) { _ in Plain() } }
}

extension Future where Failure == Plain {
    /// A future that is cancelled takes this one with it.
    var cancellable: Future<Value, Problem> { mapError(to: Problem.self) { _ in .other(0) } }
}

typealias IntPromise = Promise<Int, Problem>
typealias IntFuture = Future<Int, Problem>

/// A list that callbacks write to.
final class Log<Entry: Sendable>: Sendable {
    private let state = Mutex<[Entry]>([])
    var entries: [Entry] { state.withLock { $0 } }
    func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

/// Runs `body` on a new thread with a small stack, and waits for it.
@available(*, noasync)
func onThread(stack: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    startThread(stack: stack) {
        body()
        done.signal()
    }
    done.wait()
}

/// The same, for async tests.
func inThread<Value: Sendable>(stack: Int = 512 * 1024, _ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        startThread(stack: stack) { continuation.resume(returning: body()) }
    }
}

private func startThread(stack: Int, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread { body() }
    thread.stackSize = stack
    thread.start()
}

/// Counts its living instances.
final class Tracked: Sendable {
    let counter: Counter
    init(_ counter: Counter) {
        self.counter = counter
        counter.add(1)
    }
    deinit { counter.add(-1) }
}

final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    @discardableResult
    func add(_ amount: Int = 1) -> Int { count.wrappingAdd(amount, ordering: .sequentiallyConsistent).newValue }
}

/// The result of a future, as a value.
func resultOf<Value: Sendable, Failure: Error>(_ future: Future<Value, Failure>) async -> Result<Value, Failure> {
    do throws(Failure) { return .success(try await future.get()) } catch { return .failure(error) }
}
