import HTTPCaching
import HTTPPolicies
import HTTPSupport
import HTTPTesting
import Testing

import HTTPCore

private enum TenantKey: MessageKey { static let defaultValue: String? = nil }

/// Not `Equatable`.
private struct Meter: Sendable {
    let count: @Sendable () -> Int
}

private enum MeterKey: MessageKey { static let defaultValue: Meter? = nil }

private enum QuotaKey: MessageKey { static let defaultValue = 0 }

extension RequestStep {
    fileprivate static func tenant(_ name: String?) -> RequestStep { .setting(TenantKey.self, to: name) }
}

/// Values that a request or a response carries beside what is sent.
@Suite struct MessageKeyTests {
    private static let url = "http://h.test/a"

    @Test func `a message without a value has the key's default`() throws {
        let request = try Request(.get(Self.url))
        #expect(request[TenantKey.self] == nil && request[QuotaKey.self] == 0 && request[MeterKey.self] == nil)
        let response = Response(request: request, status: .ok)
        #expect(response[TenantKey.self] == nil && response[QuotaKey.self] == 0)
    }

    @Test func `the last value of a key counts, and keys are apart`() throws {
        let draft = MutableRequest.get(Self.url) |> .tenant("one") |> .setting(QuotaKey.self, to: 3) |> .tenant("two")
        let request = try Request(draft)
        #expect(request[TenantKey.self] == "two" && request[QuotaKey.self] == 3)
        #expect(try Request(draft |> .tenant(nil))[TenantKey.self] == nil)
        #expect(try Request(MutableRequest(request) |> .header("A", "b"))[TenantKey.self] == "two")
    }

    @Test func `a value is neither sent nor printed`() throws {
        let stub = StubClient().on(.get, "/a", answer: .status(200))
        let response = try stub.send(.get(Self.url) |> .tenant("acme"))
        let sent = try #require(stub.requests.first)
        #expect(
            sent.url.description == Self.url && sent.headers.allSatisfy { !$0.value.contains("acme") }
                && sent.body.isEmpty)
        #expect(!"\(response.request) \(response)".contains("acme") && response.request[TenantKey.self] == "acme")
    }

    @Test func `a value goes along through policies, redirects and retries to the request of the response`() throws {
        let seen = Locked<[String?]>([])
        let note = Interceptor { (request: Request, next: any HTTPClient) in
            seen.withLock { $0.append(request[TenantKey.self]) }
            return next.executeRequest(request)
        }
        let stub = StubClient()
            .on(.get, "/a", answer: .status(503).times(1).then(.status(302).header("Location", "/b")))
            .on(.get, "/b", answer: .status(200))
        let response = try stub.intercepted(by: .retry() |> note).send(.get(Self.url) |> .tenant("acme"))
        #expect(response.url.path == "/b" && response.request[TenantKey.self] == "acme")
        #expect(seen.withLock(\.self) == ["acme", "acme"] && stub.requests.map(\.url.path) == ["/a", "/a", "/b"])
    }

    @Test func `the defaults of a service may set a value, and a call drops it with them`() throws {
        struct Shop: RequestGenerator {
            let baseURL = "http://h.test/v1"
            var defaults: RequestStep { .tenant("acme") }
        }
        #expect(try Request(Shop().get("orders"))[TenantKey.self] == "acme")
        #expect(try Request(Shop().get("orders") |> .withoutDefaults)[TenantKey.self] == nil)
    }

    @Test func `a policy sets a value of the response, and a cache above it keeps that beside its own`() throws {
        struct Quota: PassingPolicy {
            func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
                outcome.map { response in
                    var response = response
                    response[QuotaKey.self] = response.headers["X-Quota"].flatMap { Int($0) } ?? -1
                    return response
                }
            }
        }
        let stub = StubClient().on(
            .get, "/a", answer: .text("x").header("X-Quota", "7").header("Cache-Control", "max-age=60"))
        let client = stub.intercepted(by: .cache(.memory(megabytes: 1)) |> Interceptor(Quota()))
        let first = try client.send(.get(Self.url))
        #expect(first[QuotaKey.self] == 7 && first.cacheStatus?.isStored == true && first.body.count == 1)
        // A stored response is another one: nothing was set on it.
        let second = try client.send(.get(Self.url))
        #expect(second[QuotaKey.self] == 0 && second.cacheStatus?.isHit == true && stub.requestCount == 1)
    }

    @Test func `requests are equal as their keys say`() throws {
        let base = MutableRequest.get(Self.url)
        let plain = try Request(base)
        let acme = try Request(base |> .tenant("acme"))
        #expect(try acme == Request(base |> .tenant("acme")) && acme != plain && plain != acme)
        #expect(try acme != Request(base |> .tenant("other")) && plain == Request(base |> .tenant(nil)))
        // What cannot be compared equals only itself.
        let metered = base |> .setting(MeterKey.self, to: Meter { 1 })
        #expect(try Request(metered) == Request(metered))
        #expect(try Request(metered) != Request(base |> .setting(MeterKey.self, to: Meter { 1 })))
        #expect(try Request(metered) != plain && Request(metered |> .tenant("acme")) != Request(metered))
        // Who watches does not count.
        #expect(try Request(base |> .downloadProgress { _ in }) == plain)
    }
}
