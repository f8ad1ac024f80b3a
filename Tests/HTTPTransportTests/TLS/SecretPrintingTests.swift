import Foundation
import HTTPCore
import HTTPCurl
import HTTPEngine
import HTTPObservability
import HTTPSupport
import HTTPTesting
import Testing

@Suite struct SecretPrintingTests {
    @Test func `a client certificate prints neither key nor password, not even by reflection`() {
        let certificate = ClientCertificate(
            .pem(certificate: Data("chain".utf8), key: Data("key".utf8)), password: "opensesame", hosts: ["a.example"])
        var configuration = CurlConfiguration()
        configuration.tls.clientCertificates = [certificate]
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(certificate)", String(reflecting: certificate), "\(configuration)", dumped] {
            #expect(!text.contains("opensesame"))
            #expect(text.contains("PEM certificate for a.example"))
        }
    }

    @Test func `requests, responses, errors, events and proxies show no secret, not even by reflection`() throws {
        let draft =
            MutableRequest.post("https://ada:opensesame@h/?token=opensesame#opensesame")
            |> .header("X-Key", "opensesame") |> .query("api_key", "opensesame")
        let request = try Request(draft)
        let response = Response(
            request: request, status: .notFound, headers: ["X-Key": "opensesame"],
            redirects: [RedirectHop(status: .found, url: request.url, location: request.url)])
        let refused = CallRecord(request, redirects: response.redirects)
        let values: [Any] = [
            draft, request, response, HTTPError.unacceptableStatus(response), HTTPError.cancelled(refused),
            CallEvent.finished(request, .success(response), .zero, id: CallID(number: 1)),
            try HTTPURL("https://ada:opensesame@h/?token=opensesame").userinfo as Any,
            try Proxy("http://ada:opensesame@proxy.example:1"),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!dumped.contains("opensesame") && dumped.contains("<redacted>"), "\(dumped)")
        }
        var dumped = ""
        dump(response, to: &dumped)
        #expect(dumped.contains("404") && dumped.contains("X-Key: <redacted>"))
    }

    private enum Kind: String, Decodable { case known }

    @Test(arguments: [
        #"{"message":"cannot reach https://svc:hunter2@db.internal/"}"#,
        #"{"message":"cannot reach https:\/\/svc:hunter2@db.internal"}"#, #"{"url":"postgres://svc:hunter2@db/x"}"#,
        "cannot reach https://svc:hunter2@db.internal/",
        String(repeating: "x ", count: 90) + "https://svc:hunter2" + String(repeating: "2", count: 40) + "@db/",
    ])
    func `the user information of a URL within a text is not printed`(body: String) throws {
        let type = body.hasPrefix("{") ? "application/json" : "text/plain"
        let stub = StubClient(strict: true)
            .on(.get, "/refused", answer: .data(Data(body.utf8), contentType: type, status: 502))
            .on(.get, "/other", answer: .data(Data(body.utf8), contentType: type))
        let lines = Locked<[String]>([])
        let client = stub.intercepted(by: .log(.bodies(upTo: 500)) { line in lines.withLock { $0.append(line) } })
        let refusal = #expect(throws: HTTPError.self) { try client.get("https://a.example/refused").validated() }
        let misfit = #expect(throws: HTTPError.self) {
            try client.get("https://a.example/other").decoded(as: [String: Int].self)
        }
        // The decoder's own words cite the value.
        let unknown = #expect(throws: HTTPError.self) {
            try client.get("https://a.example/other").decoded(as: [String: Kind].self)
        }
        let errors = [refusal, misfit, unknown].compactMap(\.self)
        #expect(errors.count == 3 && lines.withLock(\.count) > 2 && stub.requestCount == 3)
        let texts = errors.flatMap { ["\($0)", $0.explanation] } + lines.withLock(\.self)
        for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
    }

    @Test(arguments: [
        "see https://docs.example/@team/limits", "cannot reach http://db:5432: connection refused",
        "mail ops@a.example about http://db:5432.",
    ])
    func `other text with a URL is printed`(message: String) throws {
        let stub = StubClient(strict: true).on(.get, "/refused", answer: .text(message, status: 502))
        let error = try #require(throws: HTTPError.self) { try stub.get("https://a.example/refused").validated() }
        #expect("\(error)".hasSuffix("502: " + message) && stub.requestCount == 1)
    }
}
