import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct RaceTests {
    @Test func `The first to end wins, and the losers are cancelled`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let stops = Counter()
        for promise in promises { promise.onCancel { stops.add() } }
        let race = IntFuture.race(promises.map(\.future))
        promises[1].succeed(1)
        #expect(race.result == .success(1))
        #expect(stops.value == 2)
    }

    @Test func `A failure wins as well`() {
        let promise = IntPromise()
        #expect(IntFuture.race([promise.future, .failure(.other(1))]).result == .failure(.other(1)))
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `A loser that others need continues`() {
        let loser = IntPromise()
        let other = loser.future.map { $0 }
        #expect(IntFuture.race([loser.future, .success(1)]).result == .success(1))
        loser.succeed(2)
        #expect(other.result == .success(2))
    }

    @Test func `Cancelling cancels all`() {
        let promises = (0..<3).map { _ in IntPromise() }
        IntFuture.race(promises.map(\.future)).cancel()
        #expect(promises.allSatisfy { $0.future.result == .failure(.cancelled) })
    }

    @Test func `An empty race is broken, not pending forever`() {
        #expect(IntFuture.race([], file: "a", line: 1).result == .failure(.brokenPromise(file: "a", line: 1)))
    }
}
