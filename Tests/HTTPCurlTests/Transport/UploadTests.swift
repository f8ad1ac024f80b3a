import TestSupport
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Bodies from files and streams, as the server receives them.
@Suite struct UploadTests {
    private let client = CurlTransport()

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) } }

    private func failure(_ result: Result<Response, HTTPError>) throws -> BodyFailure {
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        return failure
    }

    @Test func `a form with a file arrives with its length`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write(bytes(100_000), to: "f.bin")
        let server = try MockServer { _ in .text("ok") }
        let form = MultipartBody([.text("a", "b"), .file("f", path)], boundary: "B")
        _ = try client.send(.post(server.url) |> .multipart(form))
        let received = try server.takeRequest()
        #expect(received.headers["Content-Type"] == "multipart/form-data; boundary=B")
        #expect(received.headers["Content-Length"] == "\(received.body.count)")
        #expect(
            received.body.starts(with: Array("--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n".utf8)))
        #expect(received.body.suffix(9).elementsEqual("\r\n--B--\r\n".utf8))
    }

    @Test func `a single-use body suffices for a redirect that drops it, and fails one that repeats it`() throws {
        for (status, isRepeated) in [(HTTPStatus(303), false), (307, true), (308, true)] {
            let server = try MockServer { request in
                request.path == "/a" ? .redirect(to: "/b", status: status) : .text("ok")
            }
            let body = RequestStep.stream(replayable: false) { .data(Data("once".utf8)) }
            let result = client.executeRequest(.post(server.url("/a")) |> body)
            guard isRepeated else {
                #expect(try result.get().status == .ok)
                continue
            }
            guard case .failure(.redirect(let failure)) = result else { return unexpected(result) }
            #expect(failure.reason == .bodyNotReplayable && failure.status == status)
            #expect(server.requestCount == 1)
        }
    }

    @Test(arguments: [nil, 4] as [Int64?])
    func `a lost connection is retried with a new source, but not with a single-use body`(length: Int64?) throws {
        for isReplayable in [true, false] {
            let server = try MockServer { _ in .text("ok") }
            let client = CurlTransport()
            _ = try client.send(.get(server.url))
            // The kept connection is lost on its next request, before any answer.
            server.handler = { request in
                request.connection == 1 ? .fault(.close(.beforeHead)) : .text(request.text)
            }
            let step = RequestStep.stream(length: length, replayable: isReplayable) { .data(Data("body".utf8)) }
            let result = client.executeRequest(.put(server.url) |> step)
            #expect(server.requests.map(\.connection) == (isReplayable ? [1, 1, 2] : [1, 1]))
            guard !isReplayable else {
                #expect(try result.get().text() == "body")
                continue
            }
            let failure = try failure(result)
            #expect(failure.reason == .notReplayable)
            guard case .connection? = failure.underlying as? HTTPError else { return unexpected(failure) }
        }
    }

    @Test func `a single-use body cannot be sent by a second call`() throws {
        let server = try MockServer { _ in .text("ok") }
        let request = try Request(.post(server.url) |> .stream(replayable: false) { .data(Data([1])) })
        _ = try client.send(request)
        #expect(try failure(client.executeRequest(request)).reason == .notReplayable)
        #expect(server.requestCount == 1)
    }

    @Test(arguments: [5, 100_000])
    func `a source with a wrong length never makes a complete request, and ends the connection`(size: Int) throws {
        for (announced, reason) in [
            (size + 7, BodyFailure.Reason.sourceTooShort(expected: Int64(size + 7), actual: Int64(size))),
            (size - 2, .sourceTooLong(expected: Int64(size - 2), atLeast: Int64(size))),
        ] {
            let server = try MockServer { _ in .text("ok") }
            let content = Data(bytes(size))
            let draft = MutableRequest.post(server.url) |> .stream(length: Int64(announced)) { .data(content) }
            let failure = try failure(client.executeRequest(draft))
            #expect(failure.reason == reason)
            // A newer libcurl reads the first part of the body before it sends the head.
            if size > 5 { try server.wait(for: .protocolViolations(1)) }
            #expect(server.protocolViolations.allSatisfy { $0.kind == .truncated } && server.requestCount == 0)
            _ = try client.send(.get(server.url))
            #expect(try server.takeRequest().connection == 2)
        }
    }

    @Test func `an unreadable file is named, and nothing is sent`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer { _ in .text("ok") }
        let failure = try failure(client.executeRequest(.put(server.url) |> .file(directory.file("none"))))
        #expect(failure.reason == .unreadableFile && failure.path == directory.file("none"))
        #expect(failure.underlying as? SystemError == SystemError(code: ENOENT))
        #expect(server.connectionCount == 0)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every file"))
    func `a file without read permission is named, with the reason`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write(bytes(10), to: "secret")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        let server = try MockServer { _ in .text("ok") }
        let failure = try failure(client.executeRequest(.put(server.url) |> .file(path)))
        #expect(failure.reason == .unreadableFile && failure.path == path)
        #expect(failure.underlying as? SystemError == SystemError(code: EACCES))
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [1 << 20, 96 << 20])
    func `a file that changes while it is sent never makes a complete request, and ends the connection`(size: Int)
        throws
    {
        let directory = try ScratchDirectory()
        let path = try directory.write([], to: "f")
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 64 << 20)
        let server = try MockServer(bodyLimit: 0) { _ in .text("ok") }
        // Only the head has arrived. The rest of the body, more than the buffers hold, is still in the file.
        server.earlyHandler = { _ in
            _ = truncate(path, off_t(size))
            return nil
        }
        let failure = try failure(client.executeRequest(.put(server.url) |> .file(path)))
        #expect(failure.reason == .changedFile(expected: 64 << 20, actual: Int64(size)))
        #expect(failure.path == path)
        try server.wait(for: .protocolViolations(1))
        #expect(server.protocolViolations.map(\.kind) == [.truncated] && server.requestCount == 0)
        server.earlyHandler = nil
        _ = try client.send(.get(server.url))
        #expect(try server.takeRequest().connection == 2)
    }

    @Test func `cancelling ends an endless upload`() throws {
        let server = try MockServer { _ in .text("ok") }
        let token = CancellationToken()
        let draft =
            MutableRequest.post(server.url)
            |> .stream {
                var sent = 0
                return BodySource { room in
                    sent += room.count
                    if sent > 4 << 20 { token.cancel() }
                    return room.count
                }
            }
        guard case .failure(.cancelled(let record?)) = token.run({ client.executeRequest(draft) }) else {
            return unexpected("not cancelled")
        }
        #expect(record.phase == .sending)
    }

    @Test func `a body of unknown length is refused if the server is known to use HTTP 1.0`() throws {
        let server = try MockServer { _ in
            .raw("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", keepsConnection: true)
        }
        _ = try client.send(.get(server.url) |> .header("Connection", "keep-alive"))
        let result = client.executeRequest(.post(server.url) |> .stream { .data(Data([1])) })
        guard case .failure(.unsupported) = result else { return unexpected(result) }
    }

    @Test func `Expect is sent only on request`() throws {
        let server = try MockServer { _ in .text("ok") }
        let large = RequestStep.stream(length: 3_000_000) { .data(Data(count: 3_000_000)) }
        _ = try client.send(.post(server.url) |> large)
        #expect(!(try server.takeRequest().headers.contains("Expect")))
        for body in [large, .text("small"), .stream { .data(Data(count: 10)) }] {
            let response = try client.send(.post(server.url) |> body |> .expectContinue(wait: .seconds(20)))
            #expect(response.metrics.total < .seconds(10))
            let received = try server.takeRequest()
            #expect(received.headers.values(for: "Expect") == ["100-continue"] && received.isBodyComplete)
        }
        _ = try client.send(.post(server.url) |> .expectContinue())
        #expect(!(try server.takeRequest().headers.contains("Expect")))
    }

    // Longer than libcurl's own wait of a second, with a margin for its clock, which counts whole milliseconds.
    @Test func `a server that ignores 100 Continue gets the body after the wait`() throws {
        let server = try MockServer(answersContinue: false) { _ in .text("ok") }
        let draft = MutableRequest.post(server.url) |> .text("body") |> .expectContinue(wait: .milliseconds(1300))
        let response = try client.send(draft)
        #expect(response.metrics.total > .milliseconds(1200))
        #expect(try server.takeRequest().text == "body")
    }

    @Test func `the default total limit applies only if the bodies are in memory`() throws {
        let stream = RequestStep.stream { .data(Data()) }
        for (step, total) in [
            (RequestStep.text("x"), Duration.seconds(60)), (stream, nil), (.file("/x"), nil),
            (.destination(.discard), nil), (.destination(.file("/x")), nil),
            (.multipart(.text("a", "b")), .seconds(60)),
            (.multipart(.file("a", "/b")), nil), (stream |> .timeout(.seconds(5)), .seconds(5)),
            (.timeout(.seconds(60)) |> .destination(.discard), .seconds(60)),
        ] as [(RequestStep, Duration?)] {
            #expect(try Request(.post("http://a/") |> step).timeouts.total == total)
        }
    }

    @Test func `a Content-Length for a body of unknown length is refused`() {
        for step in [RequestStep.file("/x"), .stream { .data(Data()) }] {
            #expect(throws: HTTPError.self) {
                try Request(.post("http://a/") |> step |> .header("Content-Length", "5"))
            }
        }
        #expect(throws: HTTPError.self) { try Request(.post("http://a/") |> .stream(length: -1) { .data(Data()) }) }
    }
}
