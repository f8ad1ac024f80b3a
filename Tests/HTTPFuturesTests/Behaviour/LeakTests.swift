import Testing

@testable import HTTPFutures

/// Every value, closure and result is counted; any left at the end has leaked.
@Suite(.timeLimit(.minutes(5))) struct LeakTests {
    typealias TrackedFuture = Future<Tracked, Problem>
    typealias TrackedPromise = Promise<Tracked, Problem>

    /// Runs `body` with a counter, and expects that everything counted is released.
    private func expectNoLeak(_ body: (Counter) -> Void, line: Int = #line) {
        let counter = Counter()
        body(counter)
        #expect(counter.value == 0, "line \(line)")
    }

    /// A chain with one of each link, each holding a counted object.
    private func chain(_ promise: TrackedPromise, _ counter: Counter) -> TrackedFuture {
        let held = Tracked(counter)
        return promise.future
            .map { value in
                _ = held
                return value
            }
            .flatMap { value in
                _ = held
                return TrackedFuture.success(value)
            }
            .always { _ in _ = held }
            .recover { failure throws(Problem) -> Tracked in
                _ = held
                throw failure
            }
    }

    @Test func `A resolved chain is freed`() {
        expectNoLeak { counter in
            let promise = TrackedPromise()
            let end = chain(promise, counter)
            end.onComplete { [held = Tracked(counter)] _ in _ = held }
            promise.succeed(Tracked(counter))
        }
    }

    @Test func `A chain is freed when its promise is released`() {
        expectNoLeak { counter in
            let end = chain(TrackedPromise(), counter)
            end.onComplete { [held = Tracked(counter)] _ in _ = held }
        }
    }

    @Test func `A cancelled chain is freed while its promise lives on`() {
        expectNoLeak { counter in
            let promise = TrackedPromise()
            chain(promise, counter).cancel()
            #expect(counter.value == 0)
            promise.succeed(Tracked(counter))
        }
    }

    @Test func `A chain without a holder is freed when it is resolved`() {
        expectNoLeak { counter in
            let promise = TrackedPromise()
            _ = chain(promise, counter)
            promise.succeed(Tracked(counter))
        }
    }

    @Test func `A closure is freed as soon as it has run`() {
        let counter = Counter()
        let promise = TrackedPromise()
        let end = chain(promise, counter)
        promise.succeed(Tracked(Counter()))
        #expect(counter.value == 0)
        #expect(!end.isPending && !promise.future.isPending)
    }

    @Test func `The losers of a race are freed at once, though they stay pending`() {
        let counter = Counter()
        let shutdown = IntPromise()
        shutdown.future.onComplete { _ in }
        for _ in 0..<1000 {
            let request = IntPromise()
            let race = IntFuture.race([shutdown.future, request.future]).map { [held = Tracked(counter)] value in
                _ = held
                return value
            }
            request.succeed(1)
            #expect(race.result == .success(1))
        }
        #expect(counter.value == 0 && shutdown.future.isPending)
    }

    @Test func `Cancelled futures derived from a long-lived one do not accumulate`() {
        let counter = Counter()
        let shutdown = IntPromise()
        shutdown.future.onComplete { _ in }
        let some = (0..<20).map { _ in shutdown.future.map { $0 } }
        for _ in 0..<1000 {
            shutdown.future.map { [held = Tracked(counter)] value in
                _ = held
                return value
            }.cancel()
        }
        // Compacted from time to time: only a few released ones wait for the next time.
        #expect(counter.value <= 2)
        #expect(some.allSatisfy { $0.isPending })
    }

    @Test func `Inner futures are freed with the recursion they belong to`() {
        expectNoLeak { counter in
            @Sendable func countDown(_ left: Int) -> TrackedFuture {
                guard left > 0 else { return .success(Tracked(counter)) }
                let held = Tracked(counter)
                return Future<Int, Problem>.success(left).flatMap { left in
                    _ = held
                    return countDown(left - 1)
                }
            }
            #expect(countDown(1000).result != nil)
            _ = countDown(1000)
        }
    }

    @Test func `A recursion in the tail position keeps its two ends alive, and no link between them`() {
        let gates = (0..<1000).map { _ in IntPromise() }
        let links = Log<Weak>()
        @Sendable func wait(_ index: Int) -> IntFuture {
            guard index < gates.count else { return .success(index) }
            let link = gates[index].future.flatMap { _ in wait(index + 1) }
            links.add(Weak(link.core))
            return link
        }
        let end = wait(0)
        let last = end.map { $0 }
        for gate in gates.dropLast() { gate.succeed(1) }
        #expect(links.entries.count == gates.count && end.isPending)
        #expect(links.entries.count { $0.core != nil } == 2)
        gates.last?.succeed(1)
        #expect(last.result == .success(gates.count))
        #expect(links.entries.count { $0.core != nil } == 1)
    }

    @Test func `A link in the middle whose handle is kept stays, and ends like the rest`() {
        let gates = (0..<10).map { _ in IntPromise() }
        let kept = Log<IntFuture>()
        @Sendable func wait(_ index: Int) -> IntFuture {
            guard index < gates.count else { return .success(index) }
            let link = gates[index].future.flatMap { _ in wait(index + 1) }
            if index == 5 { kept.add(link) }
            return link
        }
        let end = wait(0)
        for gate in gates { gate.succeed(1) }
        #expect(end.result == .success(10))
        #expect(kept.entries.map(\.result) == [.success(10)])
    }

    @Test func `Timed out, delayed and budgeted futures are freed when they end early`() {
        expectNoLeak { counter in
            let promise = TrackedPromise()
            let end = chain(promise, counter).timeout(.seconds(600)).deadline(.seconds(600)).map { $0 }
            promise.succeed(Tracked(counter))
            #expect(end.result != nil)
            let late = TrackedFuture.success(Tracked(counter)).delay(.seconds(600))
            late.cancel()
        }
    }

    @Test func `The futures joined by all are freed at once when one fails, even if one stays pending`() {
        for isFirst in [true, false] {
            let counter = Counter()
            let shutdown = TrackedPromise()
            if !isFirst { shutdown.future.onComplete { _ in } }
            let request = TrackedPromise()
            let all = Future.all([shutdown.future, request.future, .success(Tracked(counter))])
            if isFirst { shutdown.future.onComplete { _ in } }
            #expect(counter.value == 1)
            request.fail(.other(1))
            #expect(throws: Problem.other(1)) { try all.result?.get() }
            #expect(counter.value == 0 && shutdown.future.isPending)
        }
    }

    @Test func `Joined futures do not accumulate at a long-lived future`() {
        let counter = Counter()
        let shutdown = TrackedPromise()
        let some = (0..<20).map { _ in Future.all([shutdown.future]) }
        for _ in 0..<1000 {
            let request = TrackedPromise()
            let all = Future.all([.success(Tracked(counter)), shutdown.future, request.future])
            request.fail(.other(1))
            #expect(throws: Problem.other(1)) { try all.result?.get() }
        }
        #expect(counter.value <= 2)
        #expect(some.allSatisfy { $0.isPending })
    }

    @Test func `Joined futures are freed`() {
        expectNoLeak { counter in
            let promises = (0..<10).map { _ in TrackedPromise() }
            let futures = promises.map { chain($0, counter) }
            let all = Future.all(futures)
            let settled = Future.allSettled(futures)
            let race = TrackedFuture.race(futures)
            for promise in promises { promise.succeed(Tracked(counter)) }
            #expect(all.result != nil && settled.result != nil && race.result != nil)
        }
    }
}

private final class Weak: Sendable {
    weak let core: (any AnyObject & Sendable)?

    init(_ core: any AnyObject & Sendable) { self.core = core }
}
