import Foundation
import HTTPMockServer
import Straightline
import Testing

/// A service that authenticates its callers and has pinned keys.
@Suite(.timeLimit(.minutes(5))) struct PaymentTests {
    @Test func `a charge carries the order as its key`() throws {
        let request = try Request(Endpoint.charge(cents: 1250, order: "order-7").request(from: Payments()))
        #expect(request.method == .post)
        #expect(request.url.string == "https://payments.example.com/v1/charges")
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["Idempotency-Key"] == "order-7")
        #expect(request.body == .data(Data(#"{"cents":1250}"#.utf8), contentType: "application/json"))
        #expect(request.timeouts.total == .seconds(20))
    }

    @Test func `a receipt is requested by its number`() throws {
        let request = try Request(Endpoint.receipt(id: "r/1").request(from: Payments()))
        #expect(request.method == .get)
        #expect(request.url.string == "https://payments.example.com/v1/receipts/r%2F1")
        #expect(request.headers == ["Accept": "application/json"])
        #expect(request.timeouts.total == .seconds(20))
    }

    @Test func `the one host must have one of two keys, and every host a verified certificate`() {
        let tls = Payments().tls
        #expect(tls.pins == ["payments.example.com": Payments.keys] && Payments.keys.count == 2)
        #expect(tls.unverifiedHosts.isEmpty)
    }

    @Test func `a charge arrives once as JSON`() throws {
        let server = try MockServer(handler: StudioServer.answer)
        let payments = Payments(baseURL: server.url("/bank"), account: ("till", "7"))
        let service = try CurlTransport(CurlConfiguration(tls: payments.tls)).service(payments)
        let receipt = try service.call(.charge(cents: 1250, order: "order-7"))
        #expect(receipt == Receipt(id: "r-1", cents: 1250))
        let request = try server.takeRequest()
        #expect(request.headers["Authorization"] == "Basic dGlsbDo3")
        #expect(request.text == #"{"cents":1250}"#)
        #expect(request.headers["Idempotency-Key"] == "order-7")
        #expect(server.requestCount == 1)
    }
}

/// The same over TLS, with a server that requires a certificate.
@Suite(.enabled(if: BankServer.canRun, "needs the openssl program: apt-get install openssl"), .timeLimit(.minutes(5)))
struct PaymentSecurityTests {
    private let receipt = Endpoint.receipt(id: "r-1")

    /// The layer's own configuration, with the server's certificate as the only authority.
    private func client(_ payments: Payments, _ bank: BankServer) throws -> CurlTransport {
        var configuration = CurlConfiguration(tls: payments.tls)
        configuration.proxy = .none
        configuration.tls.authorities = .file(bank.certificate)
        return try CurlTransport(configuration)
    }

    @Test func `with certificate and pin the receipt arrives`() throws {
        let bank = try BankServer()
        var payments = Payments(baseURL: bank.url, account: ("till", "7"))
        payments.tls.pins = ["localhost": Payments.keys + [bank.pin]]
        payments.tls.clientCertificates = [try bank.clientCertificate()]
        let answer = try client(payments, bank).service(payments).call(receipt)
        #expect(answer == Receipt(id: "r-1", cents: 1250))
    }

    @Test func `without the certificate it does not`() throws {
        let bank = try BankServer()
        let payments = Payments(baseURL: bank.url, tls: TLSConfiguration(pins: ["localhost": [bank.pin]]))
        #expect(try tlsReason(payments, bank) == .clientCertificate)
    }

    @Test func `a server with another key gets nothing`() throws {
        let bank = try BankServer()
        var payments = Payments(baseURL: bank.url, tls: TLSConfiguration(pins: ["localhost": Payments.keys]))
        payments.tls.clientCertificates = [try bank.clientCertificate()]
        #expect(try tlsReason(payments, bank) == .wrongPin)
    }

    private func tlsReason(_ payments: Payments, _ bank: BankServer) throws -> TLSFailure.Reason? {
        let service = try client(payments, bank).service(payments)
        do throws(HTTPError) { _ = try service.call(receipt) } catch {
            if case .tls(let failure) = error { return failure.reason }
        }
        return nil
    }
}
