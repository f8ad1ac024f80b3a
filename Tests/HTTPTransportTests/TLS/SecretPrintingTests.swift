import Foundation
import HTTPCore
import HTTPCurl
import HTTPEngine
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
}
