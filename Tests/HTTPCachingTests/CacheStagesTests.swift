@testable import HTTPCaching
import HTTPSupport
import Foundation
import HTTPTesting
import TestSupport
import Testing

import HTTPCore

/// Two calls that share a cache, the one stopped at any of its stages while the other is at any of its own. `make soak` takes
/// every combination, `make test` each fifth.
@Suite(.timeLimit(.minutes(5))) struct CacheStagesTests {
    /// What the server says of its answers.
    enum Server: String, CaseIterable, Sendable {
        case fresh = "max-age=60"
        case staleAtOnce = "max-age=0, stale-while-revalidate=60"
        case neverStored = "no-store"
        case alwaysValidated = "no-cache"
        case onlyForThese = "vary"
        case failing = "500"
        case unreachable = "-"

        func answer(_ request: Request) -> Result<Response, HTTPError> {
            var headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": rawValue]
            switch self {
            case .failing: return .success(Response(request: request, status: .internalServerError))
            case .unreachable:
                return .failure(
                    .connection(ConnectionFailure(.refused, mayHaveBeenProcessed: false, record: CallRecord(request))))
            case .onlyForThese: headers = ["Cache-Control": "max-age=60", "Vary": "*"]
            case .fresh, .staleAtOnce, .neverStored, .alwaysValidated: break
            }
            if request.headers["If-None-Match"] == "\"1\"" {
                return .success(Response(request: request, status: .notModified, headers: headers))
            }
            return .success(Response(request: request, status: .ok, headers: headers, body: Data("a".utf8)))
        }
    }

    /// What was stored before.
    enum Before: CaseIterable, Sendable { case nothing, stale, staleButUsable }

    @Test(arguments: [true, false])
    func `from every pair of stages both calls come to their end, each forward`(isImmediate: Bool) throws {
        var pairs: Set<[String]> = []
        var number = 0
        for server in Server.allCases {
            for before in Before.allCases {
                for kind in 0..<8 {
                    // The stages of the first call, then those of the second: the sixth is over in any case.
                    for place in 0..<36 {
                        number += 1
                        guard Soak.tries(number, of: 5) else { continue }
                        pairs.formUnion([try play(isImmediate, server, before, kind, place / 6, place % 6)])
                    }
                }
            }
        }
        // Every stage met every other. A third call would have to lead for two to follow, or to hand over.
        let stages = isImmediate ? ["asking", "over"] : ["looking", "asking", "storing", "over"]
        for one in stages { for other in stages { #expect(pairs.contains([one, other]), "\(one), \(other)") } }
        let waits = isImmediate ? ["asking"] : ["asking", "storing"]
        for one in waits { #expect(pairs.contains([one, "following"]), "\(one)") }
        for other in stages { #expect(pairs.contains(["handing over", other]), "\(other)") }
    }

    /// - Parameter kind: Whether each call can send in the background, and whether the second wants an exchange of its
    ///   own, a bit each.
    private func play(
        _ isImmediate: Bool, _ server: Server, _ before: Before, _ kind: Int, _ first: Int, _ second: Int
    ) throws -> [String] {
        let scene = try Scene(isImmediate, server, before)
        scene.start(canSendInBackground: kind & 1 != 0)
        for _ in 0..<first { scene.advance(0) }
        scene.start(canSendInBackground: kind & 2 != 0, isOwn: kind & 4 != 0)
        for _ in 0..<second { scene.advance(1) }
        let pair = [scene.stage(0), scene.stage(1)]
        scene.finish()
        // Only text of a failure.
        var name: String { "\(server) \(before) \(kind) \(first) \(second): \(scene.courses.map(\.stage))" }
        #expect(scene.steps < 60, "\(name)")
        #expect(scene.courses.allSatisfy { $0.outcome != nil }, "\(name)")
        // Two calls, and in the background one validation for each.
        #expect(scene.requestCount <= 4, "\(name)")
        #expect(scene.cache.flights.count == 0 && scene.cache.flights.waitingCount == 0, "\(name)")
        for course in scene.courses.prefix(2) {
            switch (server, course.outcome) {
            case (.failing, .success(let response)?):
                #expect(response.status == .internalServerError || before == .staleButUsable, "\(name)")
            case (_, .success(let response)?): #expect(try response.text() == "a", "\(name)")
            case (.unreachable, .failure): break
            case (_, let outcome): Issue.record("\(name): \(String(describing: outcome))")
            }
        }
        return pair
    }

    /// Calls that are taken on by one step after the other, on this thread, in simulated time.
    private final class Scene {
        final class Call: PolicyCall {
            let clock: CallClock
            let canSendInBackground: Bool
            var isCancelled: Bool { false }

            init(_ clock: CallClock, _ canSendInBackground: Bool) {
                (self.clock, self.canSendInBackground) = (clock, canSendInBackground)
            }
        }

        struct Course {
            let call: Call
            var run: PolicyRun
            var effect: PolicyRun.Effect
            var outcome: Result<Response, HTTPError>?
            var hasSent = false

            /// What it is about to do.
            var stage: String {
                switch effect {
                case .send: "asking"
                case .wait: "following"
                case .run: hasSent ? "storing" : "looking"
                case .sendInBackground: "handing over"
                case .finish: "over"
                }
            }
        }

        let cache: HTTPCache
        private let server: Server
        private let client: CachePolicy
        private let request: Request
        private let time = Locked((TimePoint.now, 784_111_777.0))
        private(set) var courses: [Course] = []
        private(set) var requestCount = 0
        private(set) var steps = 0

        init(_ isImmediate: Bool, _ server: Server, _ before: Before) throws {
            cache = HTTPCache(LateStore(isImmediate: isImmediate))
            self.server = server
            client = CachePolicy(cache)
            request = try Request(.get("http://h/a"))
            guard before != .nothing else { return }
            let headers: HTTPHeaders = [
                "ETag": "\"1\"",
                "Cache-Control": before == .stale
                    ? "max-age=1" : "max-age=1, stale-while-revalidate=99, stale-if-error=99",
            ]
            let now = time.withLock { $0.1 } - 10
            let asked = CacheRequest(request)
            let response = Response(request: request, status: .ok, headers: headers, body: Data("a".utf8))
            let variant = try #require(CacheVariant(headers, answering: asked))
            let facts = CachedResponse.Facts(headers, status: .ok, requestTime: now, responseTime: now)
            let stored = CachedResponse(response, variant, to: asked, facts)
            _ = cache.store.insert(stored, response.body)
        }

        private var clock: CallClock {
            CallClock(
                now: { [time] in time.withLock { $0.0 } }, unixTime: { [time] in time.withLock { $0.1 } },
                sleep: { _, _, _ in false }, isSimulated: true)
        }

        func start(canSendInBackground: Bool, isOwn: Bool = false) {
            let own = Request(request, headers: isOwn ? ["Cache-Control": "no-cache"] : [:]) { _ in }
            start(own, [client], canSendInBackground)
        }

        private func start(_ request: Request, _ policies: [any CallPolicy], _ canSendInBackground: Bool) {
            let call = Call(clock, canSendInBackground)
            var run = PolicyRun(policies, call)
            let effect = run.start(request)
            courses.append(Course(call: call, run: run, effect: effect))
        }

        func stage(_ index: Int) -> String {
            let course = courses[index]
            return course.outcome != nil ? "over" : course.stage
        }

        /// False if it waits for another, or is over.
        @discardableResult
        func advance(_ index: Int) -> Bool {
            guard courses[index].outcome == nil else { return false }
            steps += 1
            switch courses[index].effect {
            case .send(let request, _):
                requestCount += 1
                courses[index].hasSent = true
                let answer = server.answer(request)
                courses[index].effect = courses[index].run.answer(answer)
            case .wait(let wait):
                guard wait.signal?.isFired == true || wait.end.map({ time.withLock { $0.0 } >= $0 }) == true else {
                    return false
                }
                courses[index].effect = courses[index].run.resume()
            case .run(let work, deadline: _):
                work.run()
                courses[index].effect = courses[index].run.resume()
            case .sendInBackground(let request, let policies):
                start(request, policies, true)
                courses[index].effect = courses[index].run.resume()
            case .finish(let outcome): courses[index].outcome = outcome
            }
            return true
        }

        /// Takes all of them on in turn, and lets the time pass when all wait.
        func finish() {
            while steps < 60, courses.contains(where: { $0.outcome == nil }) {
                let hasAdvanced = courses.indices.reversed().reduce(false) { advance($1) || $0 }
                guard !hasAdvanced else { continue }
                time.withLock { $0 = ($0.0 + .seconds(1), $0.1 + 1) }
            }
        }
    }
}
