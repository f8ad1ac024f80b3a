import HTTPSupport
import HTTPCore
import HTTPFutures
import TestSupport
import Testing

/// Promises that follow each other would never be resolved. They fail, and the error says which they are.
@Suite(.timeLimit(.minutes(5))) struct CircleTests {
    private func promise(_ line: Int) -> IntPromise { IntPromise(file: "Here.swift", line: line) }

    /// The error of promises made at these lines, beginning with the one that closed the circle.
    private func circle(_ lines: Int...) -> Result<Int, Problem> {
        .failure(.circularWait(of: lines.map { ("Here.swift", $0) }))
    }

    @Test func `Two promises that follow each other's future fail, with both locations`() {
        let (first, second) = (promise(1), promise(2))
        first.follow(second.future)
        #expect(first.future.isPending)
        second.follow(first.future)
        #expect(first.future.result == circle(2, 1) && second.future.result == circle(2, 1))
        #expect(
            second.future.result
                == .failure(.brokenPromise(file: "Here.swift:2, which waits for Here.swift", line: 1)))
    }

    @Test func `So do those that follow each other's derived futures, and what they hold is released`() {
        let counter = Counter()
        do {
            let (first, second) = (promise(1), promise(2))
            let held = Tracked(counter)
            first.follow(
                second.future.map { value in
                    _ = held
                    return value + 1
                })
            second.follow(first.future.map { $0 + 1 }.flatMap { .success($0) }.timeout(.seconds(600)))
            #expect(second.future.result == circle(2, 1))
            #expect(first.future.result == circle(2, 1))
        }
        #expect(counter.value == 0)
    }

    @Test(arguments: [3, 10, 100]) func `However many they are, the error names all`(count: Int) {
        let promises = (1...count).map { promise($0) }
        for (promise, next) in zip(promises, promises.dropFirst()) { promise.follow(next.future.map { $0 }) }
        #expect(promises.allSatisfy { $0.future.isPending })
        promises[count - 1].follow(promises[0].future.map { $0 })
        let places = [count] + (1..<count)
        let expected = Result<Int, Problem>.failure(.circularWait(of: places.map { ("Here.swift", $0) }))
        #expect(promises.allSatisfy { $0.future.result == expected })
    }

    enum Join: CaseIterable { case all, zip, race, firstSuccess, delay, budget, steps }

    private func join(_ first: IntFuture, _ other: IntFuture, by join: Join) -> IntFuture {
        switch join {
        case .all: return Future<[Int], Problem>.all([first, other]).map { $0[0] }
        case .zip: return Future<(Int, Int), Problem>.zip(other, first).map { $0.0 }
        case .race: return IntFuture.race([other, first])
        case .firstSuccess:
            return Future<Int, AllFailed<Problem>>.firstSuccess([first, other]).mapError(to: Problem.self) {
                $0.failures[0]
            }
        case .delay: return first.delay(.seconds(600))
        case .budget: return first.deadline(.seconds(600))
        case .steps: return first.map { $0 }.always { _ in }.flatMap { value -> IntFuture in .success(value) }
        }
    }

    @Test(arguments: Join.allCases) func `A circle through a join, a delay or any step is found, too`(kind: Join) {
        do {
            let (first, second, other) = (promise(1), promise(2), promise(3))
            first.follow(join(second.future, other.future, by: kind))
            second.follow(first.future)
            #expect(second.future.result == circle(2, 1))
            let isOver = !first.future.isPending || first.future.cancel()
            #expect(isOver)
            other.succeed(1)
        }
    }

    @Test func `A flatMap that waits for a promise which follows it is found when its step has run`() {
        let (start, promise) = (IntPromise(), promise(7))
        let step = start.future.flatMap { _ in promise.future.map { $0 } }
        promise.follow(step)
        #expect(promise.future.isPending)
        start.succeed(1)
        #expect(step.result == circle(7) && promise.future.result == circle(7))
    }

    @Test func `One that returns a future derived from itself is cancelled`() {
        let start = IntPromise()
        let place = Locked<IntFuture?>(nil)
        let step = start.future.flatMap { value in place.withLock { $0 } ?? .success(value) }
        place.withLock { $0 = step.map { $0 + 1 }.map { $0 + 1 } }
        start.succeed(1)
        #expect(step.result == .failure(.cancelled))
    }

    @Test func `The error of a client names both`() throws {
        typealias CallPromise = Promise<Int, HTTPError>
        let first = CallPromise(file: "Here.swift", line: 1)
        let second = CallPromise(file: "There.swift", line: 2)
        first.follow(second.future)
        second.follow(first.future)
        let error = try #require(throws: HTTPError.self) { try first.future.result?.get() }
        #expect("\(error)".contains("There.swift:2, Here.swift:1"))
        guard case .other(let broken as BrokenPromise) = error else { throw error }
        #expect(broken.circle == ["There.swift:2", "Here.swift:1"])
        #expect(broken.file == "There.swift" && broken.line == 2)
    }

    @Test func `Futures that share a source, or a long chain of them, are no circle`() {
        let source = IntPromise()
        var last = source.future
        for _ in 0..<12 { last = Future<[Int], Problem>.all([last, last.map { $0 }]).map { $0[0] } }
        let follower = promise(1)
        follower.follow(last)
        let other = promise(2)
        other.follow(follower.future)
        source.succeed(1)
        #expect(other.future.result == .success(1))
        var chain: [IntPromise] = [IntPromise()]
        let length = Soak.count(5000, or: 1500)
        for _ in 0..<length {
            let next = IntPromise()
            next.follow(chain[chain.count - 1].future)
            chain.append(next)
        }
        chain[0].succeed(2)
        #expect(chain[length].future.result == .success(2))
    }

    @Test func `Two threads that close a circle together leave nobody waiting`() async {
        for _ in 0..<200 {
            let (first, second) = (promise(1), promise(2))
            async let one: Void = inThread { _ = first.follow(second.future.map { $0 }) }
            async let two: Void = inThread { _ = second.follow(first.future.map { $0 }) }
            _ = await (one, two)
            #expect(!first.future.isPending && !second.future.isPending)
        }
    }
}
