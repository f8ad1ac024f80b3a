import HTTPObservability
import HTTPPolicies
import HTTPTesting
import Testing

import HTTPCore
import HTTPFoundation

/// A call that is slow for one reason.
struct PlantedCause: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let cause: CallCause.Kind
    /// The words that the summary must contain.
    let words: [String]
    let run: @Sendable () throws -> Result<Response, HTTPError>

    init(
        _ name: String, _ cause: CallCause.Kind, _ words: String...,
        run: @escaping @Sendable () throws -> Result<Response, HTTPError>
    ) {
        (testDescription, self.cause, self.words) = (name, cause, words)
        self.run = run
    }

    static var all: [PlantedCause] { slow + late + retried + policies + redirects + others + real }
}

/// In simulated time.
extension PlantedCause {
    private static let url = "https://api.example.com/a"
    private static let phases: [(CallActivity, String)] = [
        (.resolving, "resolving the name"), (.connecting, "connecting to api.example.com"), (.securing, "TLS"),
        (.sending, "sending"), (.waiting, "to answer"), (.receiving, "receiving"),
    ]

    private static func stub(_ answer: StubAnswer) -> StubClient { StubClient().on(.get, "/a", answer: answer) }

    /// One phase takes two seconds, the others little.
    private static let slow = phases.map { phase, words in
        PlantedCause("slow: \(phase)", .segment(phase), words, "api.example.com") {
            stub(
                phases.reduce(StubAnswer.text("x")) { $0.taking(.milliseconds(20), in: $1.0) }
                    .taking(.seconds(2), in: phase)
            ).executeRequest(.get(url))
        }
    }

    /// The same, ended by a timeout.
    private static let late = phases.map { phase, words in
        PlantedCause("timed out: \(phase)", .segment(phase), words) {
            stub(.text("x").taking(.seconds(9), in: phase)).executeRequest(.get(url) |> .timeout(.seconds(5)))
        }
    }

    /// The first attempts fail, the last succeeds.
    private static let retried = [
        ("503", StubAnswer.status(503), "503, 2 times"),
        ("429 with Retry-After", .status(429).header("Retry-After", "3"), "Retry-After before attempt"),
        ("no address", .failure(.unknownHost), "no address, 2 times"),
        ("silence", .failure(.timedOut(.idle)), "timed out (idle), 2 times"),
    ].map { name, answer, words in
        PlantedCause("retried: \(name)", .retries(count: 2), words, "2 attempts that were repeated") {
            stub(answer.times(2).then(.text("x").taking(.milliseconds(5), in: .waiting)))
                .intercepted(by: .retry()).executeRequest(.get(url) |> .timeout(.seconds(200)))
        }
    }

    private static let policies = [
        PlantedCause("a rate limit", .segment(.rateLimit), "rate limit", "(1 request per 4 s)") {
            let client = stub(.text("x").taking(.milliseconds(20), in: .waiting))
                .intercepted(by: .rateLimit(1, per: .seconds(4)))
            _ = client.executeRequest(.get(url))
            return client.executeRequest(.get(url))
        },
        PlantedCause("a rate limit behind retries", .segment(.rateLimit), "rate limit") {
            let client = stub(.text("x").taking(.milliseconds(20), in: .waiting))
                .intercepted(by: .retry(), .rateLimit(1, per: .seconds(4)))
            _ = client.executeRequest(.get(url))
            return client.executeRequest(.get(url))
        },
        PlantedCause("a slow token", .segment(.authorizing), "waiting for a token", "there was none") {
            let slow = stub(.text("x").taking(.milliseconds(20), in: .waiting))
            let tokens = BearerTokens { _ in
                slow.time.advance(by: .seconds(3))
                return "t"
            }
            return slow.intercepted(by: .bearer(tokens)).executeRequest(.get(url))
        },
        PlantedCause(
            "a policy that waits for what it names", .segment(.named("quo\u{1B}ta")),
            "waiting for quo\\u{1B}ta (3 left)",
            "Check the policy"
        ) {
            stub(.text("x").taking(.milliseconds(20), in: .waiting)).intercepted(by: Interceptor(Quota()))
                .executeRequest(.get(url))
        },
        PlantedCause("a slow challenge", .retries(count: 1), "(401)", "Use one .bearer or .digest for all calls") {
            let challenge = StubAnswer.status(.unauthorized)
                .header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth""#)
            let origin = Origin(scheme: .https, host: "api.example.com")
            return stub(challenge.taking(.seconds(2), in: .waiting).then(.text("x")))
                .intercepted(by: .digest(user: "u", password: "p", for: origin))
                .executeRequest(.get(url))
        },
        PlantedCause(
            "a slow attempt that is repeated", .retries(count: 1), "1 attempt that was repeated (503)", "RetryPolicy"
        ) {
            stub(.status(503).taking(.seconds(9), in: .waiting).then(.text("x"))).intercepted(by: .retry())
                .executeRequest(.get(url))
        },
        PlantedCause("a slow last attempt", .segment(.waiting), "to answer") {
            stub(.status(503).then(.text("x").taking(.seconds(20), in: .waiting))).intercepted(by: .retry())
                .executeRequest(.get(url))
        },
        PlantedCause("a storm of retries", .retries(count: 20), "503, 20 times") {
            stub(.status(503).taking(.milliseconds(100))).intercepted(by: .retry(RetryPolicy(limit: 20)))
                .executeRequest(
                    .get(url) |> .timeout(.seconds(1000)))
        },
        PlantedCause("a deadline that leaves no time for a retry", .retries(count: 1), "503") {
            stub(.status(503).header("Retry-After", "3")).intercepted(by: .retry()).executeRequest(
                .get(url) |> .timeout(.seconds(5)))
        },
    ]

    private static let redirects = [1, 3, 8].map { count in
        PlantedCause("redirects: \(count)", .redirects(count: count), "\(count) redirect") {
            var client = StubClient().on(.get, "/0", answer: .text("x").taking(.milliseconds(5), in: .waiting))
            for hop in 1...count {
                client = client.on(
                    .get, "/\(hop)",
                    answer: .status(302).header("Location", "/\(hop - 1)").taking(.milliseconds(200), in: .waiting))
            }
            return client.executeRequest(.get("https://api.example.com/\(count)"))
        }
    }

    private static let others = [
        PlantedCause("a new connection", .newConnection, "opening a new connection", "Use one client") {
            let answer = StubAnswer.text("x").taking(.milliseconds(90), in: .resolving)
                .taking(.milliseconds(100), in: .connecting).taking(.milliseconds(110), in: .securing)
                .taking(.milliseconds(150), in: .waiting)
            return stub(answer).executeRequest(.get(url))
        },
        PlantedCause("decoding of a large body", .segment(.decoding), "decoding the body") {
            let json = "[" + (0..<200_000).map(String.init).joined(separator: ",") + "]"
            let result = stub(.text(json).taking(.milliseconds(1), in: .waiting)).executeRequest(.get(url))
            _ = try? result.get().decoded(as: [Int].self)
            return result
        },
    ]
}

/// A policy of a program.
private struct Quota: CallPolicy {
    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: .wait(until: moment.now + .seconds(4), because: .named("quo\u{1B}ta"), reason: "3 left")
        case .resumed: .pass
        case .answered(let outcome): .finish(outcome)
        case .interrupted(let error): .finish(.failure(error))
        }
    }
}
