import HTTPCore
import HTTPTesting
import Testing

@Suite struct ActivityTests {
    private let counts = Notes<Int>()

    @Test func `the count goes up when a call starts and down when it is over, failed or not`() {
        let client = ScriptedClient(ScriptedClient.status(500), ScriptedClient.broken())
            .intercepted(by: .activity { [counts] in counts.note($0) })
        _ = client.get("http://h")
        _ = client.get("http://h")
        #expect(counts.all == [1, 0, 1, 0])
    }

    @Test func `calls of 64 threads are counted in order, never below zero, and end at zero`() {
        let isReporting = Locked(false)
        let overlaps = Tally()
        let counter = ActivityCounter { [counts] count in
            let overlapped = isReporting.withLock { state in
                defer { state = true }
                return state
            }
            if overlapped { overlaps.add() }
            counts.note(count)
            isReporting.withLock { $0 = false }
        }
        let one = ScriptedClient(ScriptedClient.status(200)).intercepted(by: .activity(counter))
        let other = ScriptedClient(ScriptedClient.broken()).intercepted(by: .activity(counter))
        let threads = (0..<64).map { index in
            TestThread { for _ in 0..<50 { _ = (index % 2 == 0 ? one : other).get("http://h") } }
        }
        for thread in threads { thread.join() }
        let all = counts.all
        #expect(all.count == 64 * 50 * 2)
        #expect(all.allSatisfy { (0...64).contains($0) } && all.last == 0 && counter.inFlight == 0)
        #expect(zip([0] + all, all).allSatisfy { abs($0 - $1) == 1 })
        #expect(overlaps.count == 0)
    }

    @Test func `an observer may make a call itself`() {
        let box = Locked<(any HTTPClient)?>(nil)
        let client = ScriptedClient(ScriptedClient.status(200)).intercepted(
            by: .activity { [counts] count in
                counts.note(count)
                if counts.all.count == 1 { _ = box.withLock { $0 }?.get("http://h/nested") }
            })
        box.withLock { $0 = client }
        defer { box.withLock { $0 = nil } }
        _ = client.get("http://h")
        #expect(counts.all == [1, 2, 1, 0])
    }

    @Test func `events tell of start and end, with outcome and duration`() {
        let clock = TestClock()
        let events = Notes<String>()
        let observing = Interceptor.events { event in
            switch event {
            case .started(let request): events.note("started \(request)")
            case .finished(let request, let outcome, let time):
                events.note("finished \(request) \(outcome.failure == nil) \(time)")
            }
        }
        let stub = StubClient { request in
            clock.advance(by: .seconds(2))
            return request.url.path == "/a"
                ? .success(Response(request: request, status: .ok)) : .failure(.cancelled(CallRecord(request)))
        }
        let client = clock.around(stub).intercepted(by: observing)
        _ = client.get("http://h/a")
        _ = client.get("http://h/b")
        #expect(
            events.all == [
                "started GET http://h/a", "finished GET http://h/a true 2.0 seconds", "started GET http://h/b",
                "finished GET http://h/b false 2.0 seconds",
            ])
    }
}
