import HTTPFutures
import Testing

/// Expressions without a type annotation between their links. Most of the test is that they compile.
@Suite struct ChainedTests {
    private let list = [IntFuture.success(1), .success(2)]
    private let text = Future<String, Problem>.success("ab")

    private func checked(_ value: Int) throws(Problem) -> Int {
        guard value > 0 else { throw .other(value) }
        return value
    }

    @Test func `A step after all`() {
        #expect(Future.all(list).map { $0.count }.result == .success(2))
        #expect(Future.all(list).map(\.count).map { $0 + 1 }.result == .success(3))
        let sum = Future.all(list).flatMap { values in
            let total = values.reduce(0, +)
            return IntFuture.success(total)
        }
        #expect(sum.result == .success(3))
        #expect(Future.all(list).flatMapError { _ in .success([]) }.map { $0.count }.result == .success(2))
        #expect(
            Future.all([1, 2, 3], maxConcurrent: 2) { IntFuture.success($0) }.map { $0.count }.result == .success(3))
        #expect(Future.allSettled(list).map { $0.count }.result == .success(2))
    }

    @Test func `A step after zip`() {
        let joined = Future.zip(list[0], text).flatMap { number, text in IntFuture.success(number + text.count) }
        #expect(joined.result == .success(3))
        #expect(Future.zip(list[0], text).flatMap { IntFuture.success($0 + $1.count) }.result == .success(3))
        #expect(Future.zip(list[0], text).map { "\($0)\($1)" }.result == .success("1ab"))
    }

    @Test func `A step after race, firstSuccess and retrying`() {
        #expect(Future.race(list).map { $0 + 1 }.result == .success(2))
        #expect(Future.race(list).flatMap { .success($0 + 1) }.result == .success(2))
        #expect(Future.firstSuccess(list).map { $0 + 1 }.result == .success(2))
        #expect(Future.firstSuccess(list).recover { $0.failures.count }.map { $0 + 1 }.result == .success(2))
        let first = list[0]
        #expect(Future.retrying(1) { _ in first }.map { $0 + 1 }.result == .success(2))
    }

    @Test func `A throwing step, after all and alone, declares its error type`() {
        let failed = Future.all(list).map { values throws(Problem) in try checked(values.count - 2) }
        #expect(failed.result == .failure(.other(0)))
        let chained = list[0]
            .map { value throws(Problem) in try checked(value) }
            .flatMap { value throws(Problem) in IntFuture.success(try checked(value - 1)) }
            .map { $0 + 1 }
        #expect(chained.result == .failure(.other(0)))
        #expect(list[0].map(checked).result == .success(1))
    }

    @Test func `A step after a future that cannot fail may fail`() async {
        let recovered = list[0].recover { _ in 0 }
        #expect(recovered.map { $0 + 1 }.flatMap { IntFuture.success($0) }.map { $0 + 1 }.result == .success(3))
        #expect(recovered.flatMap { _ in IntFuture.failure(.other(1)) }.result == .failure(.other(1)))
        #expect(await recovered.flatMap { .success($0) }.map { $0 + 1 }.get() == 2)
    }
}
