import Foundation
import HTTPCore
import HTTPMockServer
import Testing

/// HTTP/2 frame by frame, from a client without a library that prevents mistakes.
@Suite(.enabled(if: Needs.http2, "\(Needs.http2Advice)"), .timeLimit(.minutes(5))) struct MockServerFramesTests {
    private func server(_ http2: MockServer.HTTP2 = .init(), _ handler: MockServer.Handler? = nil) throws -> MockServer
    {
        try MockServer(versions: [.http2], http2: http2, handler: handler)
    }

    @Test func `the announced settings are the configured ones`() throws {
        let server = try server(.init(maxConcurrentStreams: 3, initialWindowSize: 1_000))
        let client = try RawHTTP2(server)
        let settings = try #require(client.next(RawHTTP2.Frame.settings))
        #expect(settings.payload == [0, 3, 0, 0, 0, 3, 0, 4, 0, 0, 3, 232])
    }

    @Test(arguments: [
        HTTP2ErrorCode.refusedStream, .cancel, .enhanceYourCalm, .http11Required, HTTP2ErrorCode(rawValue: 0x99),
    ])
    func `RST_STREAM carries its code, and the other streams continue`(code: HTTP2ErrorCode) throws {
        let server = try server { _ in .text("fine") }
        let client = try RawHTTP2(server)
        server.enqueue(.text("never").failing(.resetStream(code, .beforeHead)))
        client.request("/1", stream: 1)
        let reset = try #require(client.next(RawHTTP2.Frame.reset, RawHTTP2.Frame.headers))
        #expect(reset.type == RawHTTP2.Frame.reset)
        #expect(reset.stream == 1)
        #expect(reset.code == code)
        client.request("/2", stream: 3)
        #expect(client.next(RawHTTP2.Frame.data)?.payload == Array("fine".utf8))
        #expect(server.requests.map(\.stream) == [1, 3])
    }

    @Test func `GOAWAY names the last stream that was served`() throws {
        let server = try server { _ in .text("fine") }
        let client = try RawHTTP2(server)
        client.request("/1", stream: 1)
        #expect(client.next(RawHTTP2.Frame.data)?.stream == 1)
        server.enqueue(.text("never").failing(.goAway(.enhanceYourCalm, .beforeHead)))
        client.request("/2", stream: 3)
        let frame = try #require(client.next(RawHTTP2.Frame.goAway))
        #expect(frame.payload.prefix(4) == [0, 0, 0, 1])
        #expect(frame.code == .enhanceYourCalm)
        while client.next() != nil {}
        try server.wait(for: .endOfConnection(1))
    }

    @Test func `more streams than were announced are refused`() throws {
        let server = try server(.init(maxConcurrentStreams: 2))
        server.on(.get, "/slow", answer: .text("slow").taking(.seconds(600)))
        let client = try RawHTTP2(server)
        _ = client.next(RawHTTP2.Frame.settings)
        for stream in [1, 3, 5] { client.request("/slow", stream: stream) }
        let reset = try #require(client.next(RawHTTP2.Frame.reset))
        #expect(reset.stream == 5)
        #expect(reset.code == .refusedStream)
        #expect(server.requestCount == 2)
        // Until it knows the number, a client may open as many as it likes.
        #expect(server.protocolViolations.isEmpty)
        client.acknowledgeSettings()
        client.request("/slow", stream: 7)
        #expect(client.next(RawHTTP2.Frame.goAway)?.code == .protocolError)
        while client.next() != nil {}
        try server.wait(for: .endOfConnection(1))
        #expect(server.protocolViolations.map(\.reason).filter { $0.hasPrefix("stream 7: ") }.count == 1)
        #expect(server.protocolViolations.count == 1)
    }

    @Test func `a request that GOAWAY cuts off is no fault of the client`() throws {
        let server = try server()
        server.enqueue(.text("never").failing(.goAway(.noError, .beforeHead)))
        let client = try RawHTTP2(server)
        for stream in [1, 3] { client.request("/", stream: stream, hasBody: true) }
        client.send(RawHTTP2.Frame.data, 0, 3, Array("part".utf8))
        client.send(RawHTTP2.Frame.data, RawHTTP2.endOfStream, 1, Array("whole".utf8))
        #expect(client.next(RawHTTP2.Frame.goAway)?.code == .noError)
        while client.next() != nil {}
        try server.wait(for: .endOfConnection(1))
        #expect(server.requests.map(\.text) == ["whole"])
        #expect(throws: Never.self) { try server.verify() }
    }

    @Test func `an invalid request is refused and recorded`() throws {
        let server = try server { _ in .text("fine") }
        let client = try RawHTTP2(server)
        client.request("/", stream: 1, fields: [("connection", "close")])
        #expect(client.next(RawHTTP2.Frame.reset)?.code == .protocolError)
        #expect(server.requestCount == 0)
        #expect(server.protocolViolations.map(\.kind) == [.malformed])
        #expect(throws: ExpectationFailure.self) { try server.verify() }
    }

    @Test func `a client that leaves in the middle of a request is recorded`() throws {
        let server = try server()
        let client = try RawHTTP2(server)
        // If the server's settings and its acknowledgment were unread, closing would be a reset.
        for _ in 0..<2 { _ = client.next(RawHTTP2.Frame.settings) }
        client.request("/", stream: 1, hasBody: true)
        client.send(RawHTTP2.Frame.data, 0, 1, Array("part".utf8))
        client.close()
        try server.wait(for: .endOfConnection(1))
        #expect(server.protocolViolations.map(\.kind) == [.truncated])
        #expect(server.protocolViolations.first?.bytes == Array("part".utf8))
        #expect(server.requestCount == 0)
    }

    @Test(arguments: [MockFault.resetStream(.cancel, .beforeHead), .close(.beforeHead)])
    func `a request that a fault answers early is recorded, and not as broken off`(fault: MockFault) throws {
        let server = try server()
        server.enqueue(.fault(fault).early())
        let client = try RawHTTP2(server)
        client.request("/", stream: 1, hasBody: true)
        while let frame = client.next(), frame.type != RawHTTP2.Frame.reset {}
        client.close()
        try server.wait(for: .endOfConnection(1))
        #expect(server.requests.map(\.isBodyComplete) == [false])
        #expect(throws: Never.self) { try server.verify() }
    }

    @Test func `trailers of a request are recorded`() throws {
        let server = try server { _ in .text("fine") }
        let client = try RawHTTP2(server)
        client.request("/", stream: 1, hasBody: true)
        client.send(RawHTTP2.Frame.data, 0, 1, Array("body".utf8))
        let field = [0x00, 5] + Array("x-sum".utf8) + [1] + Array("7".utf8)
        client.send(RawHTTP2.Frame.headers, 0x5, 1, field)
        #expect(client.next(RawHTTP2.Frame.data)?.payload == Array("fine".utf8))
        let request = try #require(server.requests.first)
        #expect(request.text == "body")
        #expect(request.trailers["X-Sum"] == "7")
    }

    @Test func `bytes that are not HTTP/2 end the connection`() throws {
        let server = try server()
        let client = try RawHTTP2(server)
        client.send(0xFF, 0xFF, 0, [UInt8](repeating: 7, count: 20_000))
        let frame = try #require(client.next(RawHTTP2.Frame.goAway))
        #expect(frame.code == .frameSizeError)
        try server.wait(for: .endOfConnection(1))
        #expect(server.protocolViolations.map(\.kind) == [.malformed])
        #expect(throws: ExpectationFailure.self) { try server.verify() }
    }

    @Test func `fields that cannot be decompressed end the connection, and are recorded`() throws {
        let server = try server()
        let client = try RawHTTP2(server)
        // An indexed field (RFC 7541 §6.1) beyond the table.
        client.send(RawHTTP2.Frame.headers, 0x5, 1, [0xFE])
        #expect(client.next(RawHTTP2.Frame.goAway)?.code == .compressionError)
        try server.wait(for: .endOfConnection(1))
        #expect(server.protocolViolations.map(\.kind) == [.malformed])
        #expect(server.protocolViolations.first?.reason.contains("COMPRESSION_ERROR") == true)
    }

    @Test func `what a client sends to a connection that ends is read, so that no reset overtakes the answer`() throws {
        let size = 4 << 20
        let server = try server { _ in .data(Data(repeating: 7, count: size)).closing() }
        // Of ten resets, some would overtake.
        for _ in 1...10 {
            let client = try RawHTTP2(server)
            // With such windows the server writes all and ends while the client still reads.
            client.send(RawHTTP2.Frame.settings, 0, 0, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF])
            client.send(RawHTTP2.Frame.windowUpdate, 0, 0, [0x3F, 0xFF, 0xFF, 0xFF])
            client.request("/", stream: 1)
            var count = 0
            while let frame = client.next(RawHTTP2.Frame.data) {
                count += frame.payload.count
                client.send(RawHTTP2.Frame.windowUpdate, 0, 0, [0, 0, 0, 1])
            }
            #expect(count == size)
        }
    }

    @Test func `an early answer to a request without a body ends the connection if it says so`() throws {
        let server = try server()
        server.enqueue(.text("bye").closing().early())
        let client = try RawHTTP2(server)
        client.request("/", stream: 1)
        #expect(client.next(RawHTTP2.Frame.goAway)?.code == .noError)
        while client.next() != nil {}
        #expect(server.requests.map(\.isBodyComplete) == [true])
    }

    @Test func `fields of the connection are refused in trailers and interim responses, too`() throws {
        let server = try server()
        var interim = MockResponse.text("x")
        interim.informational = [.init(103, headers: ["Keep-Alive": "1"])]
        for answer in [.text("x").trailer("Connection", "close"), interim] {
            server.enqueue(answer)
            #expect(try RawHTTP2.get(server, ["/"]).first?.contains("HTTP/2 forbids the field") == true)
        }
    }
}
