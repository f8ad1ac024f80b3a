import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPTesting
import Testing

@Suite struct ActivityTests {
    private let counts = Notes<Int>()

    @Test func `the count rises when a call starts and falls when it ends, failed or not`() {
        let client = ScriptedClient(ScriptedClient.status(500), ScriptedClient.broken())
            .intercepted(by: .activity { [counts] in counts.note($0) })
        _ = client.executeRequest(.get("http://h"))
        _ = client.executeRequest(.get("http://h"))
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
            TestThread { for _ in 0..<50 { _ = (index % 2 == 0 ? one : other).executeRequest(.get("http://h")) } }
        }
        for thread in threads { thread.join() }
        let all = counts.all
        #expect(all.count == 64 * 50 * 2)
        #expect(all.allSatisfy { (0...64).contains($0) } && all.last == 0 && counter.inFlight == 0)
        #expect(zip([0] + all, all).allSatisfy { abs($0 - $1) == 1 })
        #expect(overlaps.count == 0)
    }

    @Test func `an observer may itself make a call`() {
        let box = Locked<(any HTTPClient)?>(nil)
        let client = ScriptedClient(ScriptedClient.status(200)).intercepted(
            by: .activity { [counts] count in
                counts.note(count)
                if counts.all.count == 1 { _ = box.withLock { $0 }?.executeRequest(.get("http://h/nested")) }
            })
        box.withLock { $0 = client }
        defer { box.withLock { $0 = nil } }
        _ = client.executeRequest(.get("http://h"))
        #expect(counts.all == [1, 2, 1, 0])
    }

    @Test func `events report start and end, with outcome and duration`() {
        let clock = TestClock()
        let events = Notes<String>()
        let observing = Interceptor.observing { event in
            switch event {
            case .started(let request, let id): events.note("\(id) started \(request)")
            case .finished(let request, let outcome, let time, let id):
                events.note("\(id) finished \(request) \(outcome.failure == nil) \(time)")
            default: break
            }
        }
        let stub = StubClient { request in
            clock.advance(by: .seconds(2))
            return request.url.path == "/a"
                ? .success(Response(request: request, status: .ok)) : .failure(.cancelled(CallRecord(request)))
        }
        let client = clock.around(stub).intercepted(by: observing)
        _ = client.executeRequest(.get("http://h/a"))
        _ = client.executeRequest(.get("http://h/b"))
        #expect(
            Self.renumbered(events.all) == [
                "#1 started GET http://h/a", "#1 finished GET http://h/a true 2.0 seconds", "#2 started GET http://h/b",
                "#2 finished GET http://h/b false 2.0 seconds",
            ])
    }

    @Test func `the events of a call have one id, whatever happens in between, and each attempt its own`() {
        let events = Notes<String>()
        let observing = Interceptor.observing { event in
            switch event {
            case .started(let request, let id): events.note("\(id) \(request.url.path)")
            case .finished(let request, _, _, let id): events.note("\(id) \(request.url.path) over")
            default: break
            }
        }
        let box = Locked<(any HTTPClient)?>(nil)
        let attempts = Locked(0)
        let stub = StubClient { request in
            if request.url.path == "/outer" { _ = box.withLock { $0 }?.executeRequest(.get("http://h/inner")) }
            let isFirst = attempts.withLock { count in
                count += 1
                return count == 1
            }
            return .success(Response(request: request, status: isFirst ? .serviceUnavailable : .ok))
        }
        let client = TestClock().around(stub).intercepted(by: .retry() |> observing)
        box.withLock { $0 = client }
        defer { box.withLock { $0 = nil } }
        #expect(client.executeRequest(.get("http://h/outer")).failure == nil)
        #expect(
            Self.renumbered(events.all) == [
                "#1 /outer", "#2 /inner", "#2 /inner over", "#3 /inner", "#3 /inner over", "#1 /outer over",
            ])
    }

    /// Renumbers the ids from 1, because other tests make calls, too.
    private static func renumbered(_ lines: [String]) -> [String] {
        var ids: [Substring] = []
        return lines.map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            if !ids.contains(parts[0]) { ids.append(parts[0]) }
            return "#\((ids.firstIndex(of: parts[0]) ?? -1) + 1) \(parts[1])"
        }
    }
}
