import TestSupport
import HTTPTransfers
import HTTPSupport
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

@Suite struct UploadConvenienceTests {
    private let client = CurlTransport()

    @Test func `a file is sent unchanged, with Expect and with progress`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write([UInt8](repeating: 9, count: 100_000), to: "a.bin")
        let server = try MockServer { _ in MockResponse.status(.created).preceded(by: MockResponse.Interim(100)) }
        let last = Locked<TransferProgress?>(nil)
        let response = try Result(
            try client.upload(
                .put(server.url("/a")) |> .header("X-App", "1"), from: path, contentType: "image/x",
                expectContinue: .seconds(5)
            ) { new in last.withLock { $0 = new } }
        ).get()
        #expect(response.status == .created)
        let received = try #require(server.requests.first)
        #expect(received.body == [UInt8](repeating: 9, count: 100_000))
        #expect(received.headers["Content-Type"] == "image/x")
        #expect(received.headers["Expect"] == "100-continue")
        #expect(received.headers["X-App"] == "1")
        #expect(last.withLock { $0?.bytes } == 100_000)
    }

    @Test func `an early refusal is the response`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write([UInt8](repeating: 9, count: 3_000_000), to: "a.bin")
        let server = try MockServer()
        server.earlyHandler = { _ in .text("too large", status: 413).closing() }
        let response = try client.upload(.put(server.url), from: path)
        #expect(response.status == 413)
        #expect(try response.text() == "too large")
    }

    @Test func `a missing file is named, and nothing is sent`() throws {
        let server = try MockServer()
        guard case .failure(.body(let failure)) = Result(try client.upload(.put(server.url), from: "/no/such/file"))
        else {
            throw Refusal("sent")
        }
        #expect(failure.reason == .unreadableFile && failure.path == "/no/such/file")
        #expect(server.requestCount == 0)
    }

    @Test func `text without a charset is read with the caller's assumption`() throws {
        let server = try MockServer { _ in .data([0x63, 0xE9], contentType: "text/plain") }
        let response = try client.send(.get(server.url))
        #expect(try response.text(assuming: "ISO-8859-1") == "cé")
        #expect(throws: HTTPError.self) { try response.text() }
    }
}
