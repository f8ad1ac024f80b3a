import HTTPEngine
import HTTPPolicies
import HTTPTesting
import Testing

import HTTPCore

@Suite struct DeadlineHeaderTests {
    @Test(arguments: [
        ("grpc-timeout", Duration.milliseconds(1500), "1500000u"), ("grpc-timeout", .seconds(100), "100000m"),
        ("grpc-timeout", .seconds(200_000), "200000S"), ("grpc-timeout", .seconds(-3), "0u"),
        ("Request-Timeout", .seconds(2), "2"), ("Request-Timeout", .microseconds(1_500_900), "1.500"),
        ("Connect-Timeout-Ms", .microseconds(1_500_900), "1500"),
    ])
    func `time is written in the format of the field, rounded down`(name: String, time: Duration, value: String) {
        #expect(DeadlineHeader(name).value(time) == value)
    }

    @Test(
        arguments: [
            ("grpc-timeout", "1500m", Duration.milliseconds(1500)), ("grpc-timeout", "2H", .seconds(7200)),
            ("grpc-timeout", "99999999n", .nanoseconds(99_999_999)), ("Request-Timeout", "1.5", .milliseconds(1500)),
            ("Request-Timeout", " 7 ", .seconds(7)), ("X-Timeout-Ms", "250", .milliseconds(250)),
        ] as [(String, String, Duration)])
    func `an incoming value is parsed`(name: String, value: String, time: Duration) throws {
        let now = ContinuousClock.now
        let deadline = try #require(CallDeadline(incoming: [name: value], as: DeadlineHeader(name), since: now))
        #expect(deadline.allowance == time)
        #expect((.zero ... .microseconds(1)).contains(now.duration(to: deadline.instant) - time + .nanoseconds(500)))
    }

    @Test(arguments: [
        ("grpc-timeout", "100"), ("grpc-timeout", "123456789m"), ("grpc-timeout", "-1S"), ("grpc-timeout", "S"),
        ("Request-Timeout", "1.5.0"), ("Request-Timeout", "soon"), ("Request-Timeout", ""), ("Request-Timeout", "1."),
        ("Request-Timeout", "99999999999999"), ("X-Timeout-Ms", "1.5"),
    ])
    func `an invalid value is nil`(name: String, value: String) {
        #expect(CallDeadline(incoming: value, as: DeadlineHeader(name)) == nil)
    }

    @Test func `each attempt sends the time left when it is sent`() throws {
        let stub = StubClient().on(
            .get, "/", answer: .status(503).header("Retry-After", "2").taking(.seconds(1)).then(.text("x")))
        _ = try stub.intercepted(by: .retry()).send(
            .get("https://a.example/") |> .timeout(.seconds(10)) |> .sendingDeadline(as: "Request-Timeout"))
        #expect(stub.requests.map { $0.request.headers["Request-Timeout"] } == ["10", "7"])
    }

    @Test func `a call without a limit sends no field, and an invalid name is refused`() throws {
        let stub = StubClient().on(.get, "/", answer: .text("x"))
        _ = try stub.send(.get("https://a.example/") |> .timeout(nil) |> .sendingDeadline(as: "Request-Timeout"))
        #expect(stub.requests.first?.request.headers.contains("Request-Timeout") == false)
        #expect(throws: HTTPError.self) { try Request(.get("https://a.example/") |> .sendingDeadline(as: "a b")) }
    }
}
