import Dispatch
import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct RacingTests {
    /// Runs `body` on eight threads that start together.
    private func together(_ body: @escaping @Sendable (Int) -> Void) async {
        let start = DispatchSemaphore(value: 0)
        await withTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    await inThread {
                        start.wait()
                        body(index)
                    }
                }
            }
            for _ in 0..<8 { start.signal() }
        }
    }

    @Test func `Of eight resolving threads one wins, and each callback runs once`() async {
        for _ in 0..<50 {
            let promise = IntPromise()
            let calls = Counter()
            let wins = Log<Int>()
            let mapped = promise.future.map { $0 }
            for _ in 0..<10 { promise.future.onComplete { _ in calls.add() } }
            await together { index in if promise.succeed(index) { wins.add(index) } }
            #expect(wins.entries.count == 1 && calls.value == 10)
            #expect(wins.entries.first.map { .success($0) } == mapped.result)
        }
    }

    @Test func `Every callback registered while eight threads resolve and cancel runs once`() async {
        for _ in 0..<50 {
            let promise = IntPromise()
            let calls = Counter()
            await together { index in
                switch index {
                case 0: promise.succeed(1)
                case 1: promise.future.cancel()
                default: for _ in 0..<20 { promise.future.onComplete { _ in calls.add() } }
                }
            }
            #expect(calls.value == 120)
        }
    }

    @Test func `Links attached and cancelled on eight threads all end`() async {
        for _ in 0..<50 {
            let promise = IntPromise()
            promise.future.onComplete { _ in }
            let ended = Counter()
            await together { index in
                for turn in 0..<20 {
                    let link = promise.future.flatMap { _ in IntFuture.success(1) }.map { $0 }
                    link.onComplete { _ in ended.add() }
                    if index == 0, turn == 10 { promise.succeed(1) }
                    if index % 2 == 1 { link.cancel() }
                }
            }
            #expect(ended.value == 160)
        }
    }

    @Test func `Chains that pass on their observers are resolved and cancelled concurrently`() async {
        for _ in 0..<50 {
            let first = IntPromise()
            let second = IntPromise()
            let third = IntPromise()
            let end = first.future.flatMap { _ in second.future.map { $0 }.flatMap { _ in third.future.map { $0 } } }
            let calls = Counter()
            end.onComplete { _ in calls.add() }
            await together { index in
                switch index {
                case 0: first.succeed(1)
                case 1: second.succeed(2)
                case 2: third.succeed(3)
                case 3: end.cancel()
                default: end.onComplete { _ in calls.add() }
                }
            }
            #expect(end.result == .success(3) || end.result == .failure(.cancelled))
            #expect(calls.value == 5)
        }
    }

    @Test func `Eight threads that each resolve a part complete all, once`() async {
        for _ in 0..<50 {
            let promises = (0..<80).map { _ in IntPromise() }
            let futures = promises.map(\.future)
            let ended = Counter()
            let calls = Counter()
            let all = Future.all(futures + futures.prefix(8))
            all.onComplete { _ in ended.add() }
            await together { index in
                for turn in 0..<10 {
                    promises[(index * 10 + turn + 5) % 80].future.onComplete { _ in calls.add() }
                    promises[index * 10 + turn].succeed(index * 10 + turn)
                }
            }
            #expect(all.result == .success(Array(0..<80) + Array(0..<8)))
            #expect(ended.value == 1 && calls.value == 80)
        }
    }

    @Test func `Joined futures that eight threads resolve, fail and cancel each end once`() async {
        for _ in 0..<50 {
            let promises = (0..<10).map { _ in IntPromise() }
            let shared = IntPromise()
            let ended = Counter()
            let held = shared.future.map { $0 }
            await together { index in
                for turn in 0..<10 {
                    let all = Future.all(promises.map(\.future) + [shared.future])
                    all.onComplete { _ in ended.add() }
                    switch index {
                    case 0: promises[turn].succeed(turn)
                    case 1 where turn == 9: promises[turn].fail(.other(1))
                    case 2, 3: all.cancel()
                    default: break
                    }
                }
            }
            #expect(held.isPending)
            shared.succeed(1)
            #expect(ended.value == 80 && held.result == .success(1))
        }
    }

    @Test func `Of threads that resolve a promise or let it follow, one wins`() async {
        for _ in 0..<200 {
            let promise = IntPromise()
            let other = IntPromise()
            let wins = Log<Int>()
            await together { index in
                let hasWon = index % 2 == 0 ? promise.succeed(index) : promise.follow(other.future)
                if hasWon { wins.add(index) }
            }
            other.succeed(-1)
            let winner = wins.entries.first ?? 0
            #expect(wins.entries.count == 1)
            #expect(promise.future.result == .success(winner % 2 == 0 ? winner : -1))
        }
    }

    @Test func `All waiting threads are woken`() async {
        let promise = IntPromise()
        let sum = Counter()
        await together { index in
            if index == 7 { promise.succeed(1) } else if let value = try? promise.future.wait() { sum.add(value) }
        }
        #expect(sum.value == 7)
    }
}
