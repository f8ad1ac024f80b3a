import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPTesting
import Testing

import HTTPCore
import HTTPFoundation

@Suite struct CallHistoryTests {
    @Test func `redirects record what was forwarded`() throws {
        let stub = StubClient()
            .on(.post, "https://a.example/", answer: .status(302).header("Location", "https://b.example/?token=t0p"))
            .on(.get, "https://b.example/", answer: .text("x"))
        let response = try stub.send(
            .post("https://a.example/") |> .bearer("s3cret") |> .header("Accept-Language", "de") |> .text("body"))
        let redirect = try #require(response.history.attempts.first?.redirect)
        #expect(redirect.method == .get && !redirect.repeatsBody)
        #expect(Set(redirect.withheldHeaders) == ["Authorization", "Content-Type"])
        #expect(response.history.attempts.map(\.number) == [1, 2])
        #expect(response.explanation.contains("302 to GET https://b.example/"))
        let json = try String(decoding: JSONEncoder().encode(response.history), as: UTF8.self)
        for text in [json, response.explanation] {
            #expect(!text.contains("s3cret") && !text.contains("t0p"))
        }
    }

    @Test func `it can be encoded and decoded`() throws {
        let stub = StubClient().on(.get, "/", answer: .status(503).then(.text("x").taking(.milliseconds(20))))
        let history = try stub.intercepted(by: .retry()).send(.get("https://a.example/")).history
        #expect(history.attempts.count == 2 && history.waits.count == 1)
        #expect(try JSONDecoder().decode(CallHistory.self, from: JSONEncoder().encode(history)) == history)
    }

    @Test func `attempts and waits have their times since the start of the call, whichever policy caused them`() throws
    {
        let stub = StubClient().on(
            .get, "/", answer: .status(503).taking(.seconds(1)).then(.text("x").taking(.seconds(2))))
        let limited = stub.intercepted(by: .rateLimit(1, per: .seconds(10)))
        let history = try limited.intercepted(by: .retry()).send(.get("https://a.example/")).history
        #expect(history.attempts.map(\.start) == [.zero, .seconds(10)] && history.total == .seconds(12))
        #expect(history.waits.map(\.cause) == [.betweenAttempts, .rateLimit])
        #expect(history.waits[0].start == .seconds(1))
        #expect(history.waits[1].start == .seconds(1) + history.waits[0].duration)
        #expect(history.waits[1].start + history.waits[1].duration == .seconds(10))
    }

    @Test func `it is bounded, and has the number of attempts`() throws {
        let stub = StubClient().on(.get, "/", answer: .status(503))
        let policy = RetryPolicy(limit: 300, backoff: Backoff(base: .milliseconds(1), cap: .milliseconds(1)))
        let history = try stub.intercepted(by: .retry(policy, budget: RetryBudget(capacity: 1_000_000))).send(
            .get("https://a.example/")
        ).history
        #expect(history.attemptCount == 301)
        #expect(history.attempts.count == CallHistory.limit && history.waits.count == CallHistory.limit)
        #expect(history.attempts.first?.number == 1 && history.attempts.last?.number == 301)
    }

    @Test func `foreign text is printed safely`() throws {
        let error = StubClient.failing(
            error: .connection(
                ConnectionFailure(
                    .other, mayHaveBeenProcessed: true,
                    record: {
                        var record = CallRecord(try! Request(.get("https://a.example/")), phase: .connecting)
                        record.metrics.remoteAddress = "evil\u{1B}[2J\n"
                        record.metrics.total = .seconds(1)
                        record.metrics.timings.complete = .seconds(1)
                        record.metrics.connection = ConnectionInfo(
                            addresses: [.init("one\u{1B}[2J", start: .zero), .init("two\n", start: .zero)],
                            proxy: "p\u{9B}:1",
                            tls: TLSInfo(
                                version: "v\n", cipher: "c\u{7}", applicationProtocol: "h\u{202E}",
                                certificates: [.init(subject: "/CN=\u{1B}]0;x", issuer: "\n", expiry: nil)]))
                        return record
                    }()))
        ).executeRequest(.get("https://a.example/")).failure
        let explanation = try #require(error?.explanation)
        #expect(explanation.unicodeScalars.allSatisfy { $0 == "\n" || ASCII.isPrintable($0) })
        #expect(explanation.contains("2 addresses were tried"))
        let tls = try #require(error?.history?.attempts.last?.connection?.tls)
        #expect("\(tls)".unicodeScalars.allSatisfy(ASCII.isPrintable))
    }

    @Test func `an explanation keeps to 80 columns except in its last line`() throws {
        let stub = StubClient().on(.get, "**", answer: .text("x").taking(.seconds(1)))
        let response = try stub.send(.get("https://a.example/\(String(repeating: "long/", count: 50))"))
        let lines = response.explanation.split { $0 == "\n" }
        for line in lines.dropLast() { #expect(line.count <= 80) }
        #expect(response.explanation.contains("→ 200 in 1 s"))
    }

    @Test func `an error without a call has only its text`() {
        let error = HTTPError.cancelled(nil)
        #expect(error.history == nil && error.explanation == "\(error)")
    }

    @Test func `decoding is recorded, and is part of the total`() throws {
        let json = "[" + (0..<50_000).map(String.init).joined(separator: ",") + "]"
        let response = try StubClient().on(.get, "/", answer: .text(json)).send(.get("https://a.example/"))
        #expect(response.history.decoding == .zero)
        _ = try response.decoded(as: [Int].self)
        #expect(
            response.history.decoding > .zero
                && response.history.total == response.metrics.total + response.history.decoding)
        #expect(response.history.segments.last?.activity == .decoding)
    }
}
