import HTTPCore
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

    @Test func `The error of a client says that the list was empty, and where`() throws {
        typealias CallFuture = Future<Int, HTTPError>
        let race = try #require(throws: HTTPError.self) {
            try CallFuture.race([], file: "Here.swift", line: 1).result?.get()
        }
        let first = try #require(throws: AllFailed<HTTPError>.self) {
            try Future<Int, AllFailed<HTTPError>>.firstSuccess([CallFuture](), file: "Here.swift", line: 1).result?
                .get()
        }
        for error in [race] + first.failures {
            #expect(
                "\(error)" == "the list of futures at Here.swift:1 is empty, so none of them can end: give at least one"
            )
            guard case .other(let broken as BrokenPromise) = error else { throw error }
            #expect(broken.file == "Here.swift" && broken.line == 1)
        }
    }
}
