import TestSupport
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Bodies that can be read once, sent twice without saying so.
@Suite struct ReadOnceBodyTests {
    private let client = CurlTransport()
    private let server: MockServer
    private let directory: ScratchDirectory

    init() throws {
        server = try MockServer { .data($0.body) }
        directory = try ScratchDirectory()
    }

    private func pipe(with text: String) throws -> (Int32, close: () -> Void) {
        var ends: [Int32] = [0, 0]
        try #require(systemPipe(&ends) == 0)
        _ = text.withCString { write(ends[1], $0, text.utf8.count) }
        _ = close(ends[1])
        return (ends[0], { [end = ends[0]] in _ = close(end) })
    }

    private func expectRefusal(_ request: Request) throws {
        #expect(try client.executeRequest(request).get().text() == "hello")
        guard case .failure(.body(let failure)) = client.executeRequest(request) else { throw Refusal("sent again") }
        #expect(failure.reason == .notReplayable)
        #expect(!server.requests.contains { $0.isBodyComplete && $0.body.isEmpty }, "an empty body was sent")
    }

    @Test func `a pipe is not sent empty the second time`() throws {
        let (end, close) = try pipe(with: "hello")
        defer { close() }
        try expectRefusal(try Request(.post(server.url) |> .stream { .descriptor(end) }))
    }

    @Test func `neither is one in a form, or one that is compressed`() throws {
        let (end, close) = try pipe(with: "hello")
        defer { close() }
        let form = MultipartBody([.stream("f") { .descriptor(end) }], boundary: "b")
        let (other, closeOther) = try pipe(with: "hello")
        defer { closeOther() }
        for request in [
            try Request(.post(server.url) |> .multipart(form)),
            try Request(.post(server.url) |> .stream { .descriptor(other) } |> .compressed()),
        ] {
            let count = server.requests.count
            #expect(try client.executeRequest(request).get().body.isEmpty == false)
            guard case .failure(.body(let failure)) = client.executeRequest(request) else {
                throw Refusal("sent again")
            }
            #expect(failure.reason == .notReplayable)
            #expect(server.requests.filter(\.isBodyComplete).count == count + 1)
        }
    }

    @Test func `a file's descriptor is not read on from where the first sending ended`() throws {
        _ = try directory.write("hello".utf8, to: "f")
        let file = try SystemCall.open(directory.file("f"), O_RDONLY).get()
        defer { _ = close(file) }
        try expectRefusal(try Request(.post(server.url) |> .stream { .descriptor(file) }))
    }

    @Test func `a sequence that is used up is not sent empty the second time`() throws {
        let chunks = Locked([Data("hello".utf8)])
        try expectRefusal(
            try Request(
                .post(server.url)
                    |> .stream {
                        BodySource { room in
                            let next = chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                            next?.copyBytes(to: room)
                            return next?.count ?? 0
                        }
                    }))
    }

    @Test(arguments: [HTTPStatus.temporaryRedirect, .permanentRedirect])
    func `a redirect that needs it again fails, and sends no empty body`(status: HTTPStatus) throws {
        let (end, close) = try pipe(with: "hello")
        defer { close() }
        server.handler = { request in
            request.target == "/" ? .status(status).header("Location", "/next") : .data(request.body)
        }
        let result = client.executeRequest(.post(server.url + "/") |> .stream { .descriptor(end) })
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason == .notReplayable)
        #expect(!server.requests.contains { $0.target == "/next" && $0.isBodyComplete })
    }

    @Test func `what begins anew is sent again`() throws {
        _ = try directory.write("hello".utf8, to: "f")
        let path = directory.file("f")
        let file = try SystemCall.open(path, O_RDONLY).get()
        defer { _ = close(file) }
        for request in [
            try Request(.post(server.url) |> .stream { .descriptor(try SystemCall.open(path, O_RDONLY).get()) }),
            try Request(
                .post(server.url)
                    |> .stream {
                        lseek(file, 0, SEEK_SET)
                        return .descriptor(file)
                    }),
            try Request(.post(server.url) |> .stream { .data(Data("hello".utf8)) }),
        ] {
            for _ in 0..<3 { #expect(try client.executeRequest(request).get().text() == "hello") }
        }
        let empty = try Request(.post(server.url) |> .stream { .data(Data()) })
        for _ in 0..<2 { #expect(try client.executeRequest(empty).get().text() == "") }
    }
}

private func systemPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
