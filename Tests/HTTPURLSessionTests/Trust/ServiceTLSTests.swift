import HTTPPolicies
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPFutures
import HTTPMockServer
import HTTPURLSession
import Testing

/// A service that states TLS settings, over transports that have others.
@Suite(.timeLimit(.minutes(5))) struct ServiceTLSTests {
    fileprivate struct Payments: EnumeratedGenerator {
        typealias Calls = Call

        var baseURL: String
        var tls = TLSConfiguration(pins: ["127.0.0.1": [key]])
    }

    fileprivate enum Call: ServiceEndpoint {
        case pay

        func request(from payments: Payments) -> MutableRequest { payments.post("pay") |> .text("secret") }
    }

    fileprivate static let key: PublicKeyPin = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="
    private static let pay = Endpoint<Payments, Void>.post("pay") |> .text("secret")

    private let server: MockServer
    private let payments: Payments

    init() throws {
        server = try MockServer { _ in .text("ok") }
        payments = Payments(baseURL: server.url("/", host: "127.0.0.1"))
    }

    /// `error` names host and setting, and nothing was sent.
    private func expectRefusal(_ error: HTTPError?, sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .unsupported(let unsupported) = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
        #expect(unsupported.feature.contains("the pinned keys for 127.0.0.1"), sourceLocation: sourceLocation)
        #expect(unsupported.reason.contains("CurlConfiguration(tls:"), sourceLocation: sourceLocation)
        #expect(server.requestCount == 0, sourceLocation: sourceLocation)
    }

    private func error<Value>(_ call: () throws(HTTPError) -> Value) -> HTTPError? {
        do throws(HTTPError) { _ = try call() } catch { return error }
        return nil
    }

    private func error<Value>(_ call: () async throws(HTTPError) -> Value) async -> HTTPError? {
        do throws(HTTPError) { _ = try await call() } catch { return error }
        return nil
    }

    @Test func `blocking calls, batches and requests of the service are refused by a plain transport`() throws {
        let client = CurlTransport()
        let service = client.service(payments)
        expectRefusal(error { () throws(HTTPError) in try service.call(Self.pay) })
        expectRefusal(error { () throws(HTTPError) in try service.call(.pay) })
        let request = try Request(endpoint: Call.pay, from: payments)
        expectRefusal(error { () throws(HTTPError) in try client.executeRequest(request).get() })
        expectRefusal(error { () throws(HTTPError) in try client.send(payments.get("a")) })
        for result in client.executeRequests([request, request]) {
            expectRefusal(error { () throws(HTTPError) in try result.get() })
        }
    }

    @Test func `interceptors change nothing about that`() throws {
        let rebuilding = Interceptor { request, next in
            next.executeRequest(MutableRequest(request) |> .header("X-A", "1"))
        }
        let client = CurlTransport().intercepted(by: .retry(), .applying(.header("X-B", "1")), rebuilding)
        expectRefusal(error { () throws(HTTPError) in try client.service(payments).call(Self.pay) })
    }

    @Test func `awaited calls, callbacks and futures are refused, too`() async throws {
        let service = CurlTransport().service(payments)
        let behind = CurlTransport().intercepted(by: .retry()).service(payments)
        for service in [service, behind] {
            expectRefusal(await error { () async throws(HTTPError) in try await service.call(Self.pay) })
            expectRefusal(await error { () async throws(HTTPError) in try await service.future(for: Self.pay).get() })
            let result = await withCheckedContinuation { done in
                service.call(Self.pay, callbackQueue: .immediate) { done.resume(returning: $0) }
            }
            expectRefusal(error { () throws(HTTPError) in try result.get() })
        }
    }

    @Test func `URLSession refuses what it does not apply`() {
        expectRefusal(error { () throws(HTTPError) in try URLSessionTransport().service(payments).call(Self.pay) })
    }

    @Test func `a redirect to a host with stated settings ends there`() throws {
        let other = try MockServer { _ in .text("ok") }
        server.enqueue(.redirect(to: other.url("/next", host: "localhost")))
        var payments = payments
        payments.tls.pins = ["localhost": [Self.key]]
        let error = try #require(error { () throws(HTTPError) in try CurlTransport().send(payments.get("a")) })
        guard case .unsupported(let unsupported) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(unsupported.feature.contains("for localhost"))
        #expect(server.requestCount == 1 && other.requestCount == 0)
    }

    @Test func `a transport with the same settings sends`() throws {
        let client = try CurlTransport(CurlConfiguration(tls: payments.tls))
        try client.service(payments).call(Self.pay)
        #expect(server.requests.map(\.text) == ["secret"])
    }

    @Test func `a service that states nothing goes through any transport`() throws {
        let plain = Payments(baseURL: payments.baseURL, tls: TLSConfiguration())
        try CurlTransport(CurlConfiguration(tls: payments.tls)).service(plain).call(Self.pay)
        try URLSessionTransport().service(plain).call(Self.pay)
        #expect(server.requestCount == 2)
    }
}
