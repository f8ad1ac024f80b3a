import HTTPMockServer
import HTTPTesting
import Testing

@testable import HTTPCore
@testable import HTTPCurl

/// Calls that are slow for one reason, which has to be named.
@Suite(.timeLimit(.minutes(1))) struct PlantedCauseTests {
    struct Plant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let cause: CallCause.Kind
        /// What the sentence has to mention.
        var words: [String] = []
        let call: @Sendable () throws -> Result<Response, HTTPError>

        init(
            _ name: String, _ cause: CallCause.Kind, _ words: String...,
            call: @escaping @Sendable () throws -> Result<Response, HTTPError>
        ) {
            (testDescription, self.cause, self.words, self.call) = (name, cause, words, call)
        }
    }

    private static let url = "https://api.example.com/a"
    private static let phases: [(CallPhase, CallPart.Kind, String)] = [
        (.resolving, .resolve, "address"), (.connecting, .connect, "connecting to api.example.com"),
        (.securing, .secure, "TLS"), (.sending, .send, "sending"), (.waiting, .server, "to answer"),
        (.receiving, .receive, "receiving"),
    ]

    private static func stub(_ answer: StubAnswer) -> StubClient { StubClient().on(.get, "/a", answer: answer) }

    /// One phase that takes two seconds, beside others that take little.
    static let slow = phases.map { phase, kind, words in
        Plant("slow: \(phase)", .part(kind), words, "api.example.com:443") {
            stub(phases.reduce(StubAnswer.text("x")) { $0.taking(.milliseconds(20), in: $1.0) }
                .taking(.seconds(2), in: phase)).get(url)
        }
    }

    /// The same until a limit ends it.
    static let late = phases.map { phase, kind, words in
        Plant("too late: \(phase)", .part(kind), words) {
            stub(.text("x").taking(.seconds(9), in: phase)).get(url, .timeout(.seconds(5)))
        }
    }

    /// The first attempts fail, the last is good.
    static let retried = [
        ("503", StubAnswer.status(503), "503, 2 times"), ("429", .status(429).header("Retry-After", "3"), "429"),
        ("no address", .failure(.unknownHost), "no address"), ("cut", .failure(.timedOut(.idle)), "timed out (idle)"),
    ].map { name, answer, words in
        Plant("retried: \(name)", .retries(count: 2), words, "2 attempts that were made again") {
            stub(answer.times(2).then(.text("x").taking(.milliseconds(5), in: .waiting)))
                .intercepted(by: .retry()).get(url)
        }
    }

    static let policies = [
        Plant("a rate limit", .part(.rateLimit), "rate limit") {
            let client = stub(.text("x").taking(.milliseconds(20), in: .waiting))
                .intercepted(by: .rateLimit(1, per: .seconds(4)))
            _ = client.get(url)
            return client.get(url)
        },
        Plant("a rate limit behind retry", .part(.rateLimit), "rate limit") {
            let client = stub(.text("x").taking(.milliseconds(20), in: .waiting))
                .intercepted(by: .retry(), .rateLimit(1, per: .seconds(4)))
            _ = client.get(url)
            return client.get(url)
        },
        Plant("a slow refresh", .part(.token), "token") {
            let slow = stub(.text("x").taking(.milliseconds(20), in: .waiting))
            let tokens = BearerTokens { _ in
                slow.time.advance(by: .seconds(3))
                return .success("t")
            }
            return slow.intercepted(by: .bearer(tokens)).get(url)
        },
        Plant("a slow attempt that is made again", .retries(count: 1), "503") {
            stub(.status(503).taking(.seconds(9), in: .waiting).then(.text("x"))).intercepted(by: .retry()).get(url)
        },
        Plant("a slow last attempt", .part(.server), "to answer") {
            stub(.status(503).then(.text("x").taking(.seconds(30), in: .waiting))).intercepted(by: .retry()).get(url)
        },
    ]

    static let redirects = [1, 3, 8].map { count in
        Plant("\(count) redirects", .redirects(count: count), "\(count) redirect") {
            var client = StubClient().on(.get, "/0", answer: .text("x").taking(.milliseconds(5), in: .waiting))
            for hop in 1...count {
                client = client.on(
                    .get, "/\(hop)",
                    answer: .status(302).header("Location", "/\(hop - 1)").taking(.milliseconds(200), in: .waiting))
            }
            return client.get("https://api.example.com/\(count)")
        }
    }

    static let opening = Plant("a new connection, of which no phase stands out", .opening, "a new connection") {
        let answer = StubAnswer.text("x").taking(.milliseconds(90), in: .resolving)
            .taking(.milliseconds(100), in: .connecting).taking(.milliseconds(110), in: .securing)
            .taking(.milliseconds(150), in: .waiting)
        return stub(answer).get(url)
    }

    /// Over real connections.
    static let real = [
        Plant("a server that thinks", .part(.server), "to answer") {
            let server = try MockServer { _ in .text("x").taking(.milliseconds(300)) }
            return CurlTransport().get(server.url)
        },
        Plant("a server that drips", .part(.receive), "receiving") {
            let server = try MockServer { _ in
                .data([UInt8](repeating: 7, count: 30_000)).failing(.trickle(bytes: 5000, every: .milliseconds(60)))
            }
            return CurlTransport().get(server.url)
        },
        Plant("a refusal that is made again", .retries(count: 1), "503") {
            let server = try MockServer { $0.index == 0 ? .status(.serviceUnavailable) : .text("x") }
            return CurlTransport().intercepted(by: .retry(RetryPolicy(limit: 1))).get(server.url)
        },
        Plant("a rate limit over a real connection", .part(.rateLimit), "rate limit") {
            let server = try MockServer { _ in .text("x") }
            let client = CurlTransport().intercepted(by: .rateLimit(1, per: .milliseconds(200)))
            _ = client.get(server.url)
            return client.get(server.url)
        },
        Plant("a redirect by a slow server", .redirects(count: 1), "redirect") {
            let server = try MockServer { request in
                request.path == "/b" ? .text("x") : .redirect(to: "/b").taking(.milliseconds(200))
            }
            return CurlTransport().get(server.url("/a"))
        },
        Plant("a server that never answers", .part(.server), "to answer") {
            let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
            return CurlTransport().get(server.url, .timeout(.milliseconds(200)))
        },
    ]

    static var all: [Plant] { slow + late + retried + policies + redirects + [opening] + real }

    @Test(arguments: all) func `the cause is named`(plant: Plant) throws {
        let result = try plant.call()
        let history = try #require(
            { switch result { case .success(let response): response.history; case .failure(let error): error.history } }())
        #expect(CallCause(history)?.kind == plant.cause, "\(history.sentence)")
        for words in plant.words { #expect(history.sentence.contains(words), "\(history.sentence)") }
        let whole = history.parts.reduce(Duration.zero) { $0 + $1.duration }
        #expect(whole == history.total)
    }
}
