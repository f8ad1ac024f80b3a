import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// The destination of bodies without a 2xx status, and the errors about codings and redirects.
@Suite struct RefusalDestinationTests {
    private let client = CurlTransport()
    private let server: MockServer
    private let got = Locked<[UInt8]>([])

    init() throws { server = try MockServer { _ in .text("no such thing", status: .notFound) } }

    private var stream: BodyDestination {
        .stream { [got] _ in BodySink { bytes in got.withLock { $0 += bytes } } }
    }

    private var text: String { got.withLock { String(decoding: $0, as: UTF8.self) } }

    @Test func `a refusal goes to memory, or to the stream that takes refusals`() throws {
        let plain = try client.get(server.url("/"), RequestStep { [stream] in $0.destination = stream })
        #expect(try plain.text() == "no such thing" && text.isEmpty)
        let all = stream.includingRefusals()
        let streamed = try client.get(server.url("/"), RequestStep { $0.destination = all })
        #expect(streamed.status == .notFound && streamed.body.isEmpty && streamed.bodyByteCount == 13)
        #expect(text == "no such thing")
    }

    @Test func `a followed redirect does not go to the stream`() throws {
        server.enqueue(MockResponse.text("moved", status: .found).header("Location", "/y"))
        let all = stream.includingRefusals()
        _ = try client.get(server.url("/"), RequestStep { $0.destination = all })
        #expect(text == "no such thing")
    }

    @Test func `a body can be returned undecoded`() throws {
        server.handler = { _ in
            MockResponse.data(CodedBodies.gzip).header("Content-Encoding", "gzip")
        }
        let raw = try client.get(server.url("/"), .contentDecoding(false))
        #expect(raw.body == Data(CodedBodies.gzip))
        #expect(server.requests.last?.headers["Accept-Encoding"] == "identity")
        let decoded = try client.get(server.url("/"), .contentDecoding(false) |> .contentDecoding(true))
        #expect(decoded.body != raw.body)
        #expect(server.requests.last?.headers["Accept-Encoding"]?.hasPrefix("gzip") == true)
        // The fields are those of the coded body.
        #expect(decoded.headers["Content-Encoding"] == "gzip")
        #expect(decoded.headers["Content-Length"] == "\(CodedBodies.gzip.count)")
    }

    @Test func `a body is returned undecoded as the request asks for it, such as that of a proxy's client`() throws {
        server.handler = { _ in MockResponse.data(CodedBodies.gzip).header("Content-Encoding", "gzip") }
        let asked = RequestStep.header("Accept-Encoding", "gzip;q=0.5")
        #expect(try client.get(server.url("/"), asked |> .contentDecoding(false)).body == Data(CodedBodies.gzip))
        #expect(server.requests.map { $0.headers.values(for: "Accept-Encoding") } == [["gzip;q=0.5"]])
    }

    @Test func `a redirect fails the call if redirects are refused`() throws {
        server.enqueue(MockResponse.status(.found).header("Location", "/y"))
        let result = client.executeRequest(.get(server.url("/")) |> .redirects(.refused))
        guard case .failure(.redirect(let failure)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(failure.status == .found && failure.location?.path == "/y")
        #expect("\(HTTPError.redirect(failure))".contains("RedirectPolicy.refused follows none"))
        #expect(server.requestCount == 1)
    }
}

@Suite struct ClientCertificateChoiceTests {
    @Test func `each host gets the first certificate that names it, and others the first that names none`() throws {
        func certificate(_ password: String, _ hosts: Set<String>?) -> ClientCertificate {
            ClientCertificate(.pkcs12(.init()), password: password, hosts: hosts)
        }
        var tls = TLSConfiguration(environment: [:])
        tls.clientCertificates = [
            certificate("any", nil), certificate("a", ["a.example", "b.example"]), certificate("b", ["b.example"]),
        ]
        let shown = ["A.example", "b.example", "c.example"].map { tls.clientCertificate(for: $0)?.password }
        #expect(shown == ["a", "a", "any"])
        tls.clientCertificates = [certificate("only", ["a.example"])]
        #expect(tls.clientCertificate(for: "c.example") == nil)
    }

    @Test func `certificate and key are read from files, or an error names the unusable one`() throws {
        let directory = try ScratchDirectory()
        let chain = try directory.write("-----BEGIN CERTIFICATE-----\n".utf8, to: "chain.pem")
        let key = try directory.write("-----BEGIN PRIVATE KEY-----\n".utf8, to: "key.pem")
        let text = try directory.write("hello".utf8, to: "text")
        let large = try directory.write(Array(repeating: 0, count: (1 << 20) + 1), to: "large")
        guard case .pem(let read, let readKey) = try ClientCertificate.pem(certificate: chain, key: key).form else {
            return #expect(Bool(false))
        }
        #expect(read.count == 28 && readKey.count == 28 && read != readKey)
        guard case .pem(let both, let same) = try ClientCertificate.pem(certificate: chain).form else {
            return #expect(Bool(false))
        }
        #expect(both == same)
        guard case .pkcs12(let container) = try ClientCertificate.pkcs12(file: text).form else {
            return #expect(Bool(false))
        }
        #expect(container == Data("hello".utf8))
        for (path, words) in [
            (text, "has no PEM block"), (large, "larger than 1 MiB"), (directory.file("no"), "cannot be read"),
        ] {
            let error = #expect(throws: HTTPError.self) { try ClientCertificate.pem(certificate: path) }
            #expect(error.map { "\($0)".contains(words) && "\($0)".contains(path) } == true)
        }
    }
}
