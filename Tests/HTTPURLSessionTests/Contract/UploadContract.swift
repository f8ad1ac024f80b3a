import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

enum UploadContract {
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    }

    private struct SourceBroke: Error {}

    static let cases: [ContractCase] = [
        ContractCase("a file and a stream of known length arrive with that length") { client in
            for size in [0, 1, 63, 64, 65, 4096, 16_384, 65_536, 3_000_000] {
                let content = bytes(size)
                let directory = try ScratchDirectory()
                let path = try directory.write(content, to: "f")
                let server = try MockServer { _ in .text("ok") }
                for step in [
                    RequestStep.file(path, contentType: "text/plain"),
                    .stream(length: Int64(size), contentType: "text/plain") { .data(Data(content)) },
                ] {
                    #expect(try client.send(.put(server.url) |> step).status == .ok)
                    let received = try server.takeRequest()
                    #expect(received.body == content)
                    #expect(received.headers.values(for: "Content-Length") == ["\(size)"])
                    #expect(received.headers.values(for: "Content-Type") == ["text/plain"])
                    #expect(!received.headers.contains("Transfer-Encoding") && !received.headers.contains("Expect"))
                }
                #expect(server.protocolErrors.isEmpty)
            }
        },
        ContractCase("a stream that gives a byte at a time arrives whole") { client in
            let content = bytes(200)
            let server = try MockServer { _ in .text("ok") }
            for length in [200, nil] as [Int64?] {
                let step = RequestStep.stream(length: length) { .chunks(content.map { Data([$0]) }) }
                _ = try client.send(.post(server.url) |> step)
                #expect(try server.takeRequest().body == content)
            }
        },
        ContractCase("a stream that ends late arrives whole, whatever its length") { client in
            let server = try MockServer { _ in .text("ok") }
            for size in [0, 1, 16_384, 49_152] {
                let step = RequestStep.stream {
                    var left = size
                    return BodySource { room in
                        if left == 0 { usleep(20_000) }
                        let count = min(left, room.count, 8192)
                        left -= count
                        return count
                    }
                }
                _ = try client.send(.post(server.url) |> step |> .timeout(.seconds(5)))
                #expect(try server.takeRequest().bodyByteCount == size)
            }
        },
        ContractCase("the source is asked on the calling thread") { client in
            let server = try MockServer { _ in .text("ok") }
            let caller = pthread_self()
            let isCaller = Mutex(true)
            let step = RequestStep.stream {
                var left = 5
                return BodySource { room in
                    isCaller.withLock { $0 = $0 && pthread_equal(caller, pthread_self()) != 0 }
                    left -= 1
                    return left >= 0 ? room.count : 0
                }
            }
            _ = try client.send(.post(server.url) |> step)
            #expect(isCaller.withLock { $0 })
            #expect(try server.takeRequest().bodyByteCount > 4)
        },
        ContractCase("a source that breaks off ends the call, and the server never gets a whole request") { client in
            let server = try MockServer { _ in .text("ok") }
            for length in [nil, 300_000] as [Int64?] {
                let step = RequestStep.stream(length: length) {
                    var left = 3
                    return BodySource { room in
                        left -= 1
                        guard left >= 0 else { throw SourceBroke() }
                        let count = min(room.count, 50_000)
                        return count
                    }
                }
                let error = try client.executeRequest(.post(server.url) |> step).error()
                guard case .body(let failure) = error else { throw error }
                #expect(failure.reason == .source && failure.underlying is SourceBroke)
            }
            try server.waitForOpenConnectionCount(atMost: 0)
            #expect(server.requestCount == 0)
        },
        ContractCase("redirects that repeat the request open the source anew") { client in
            let server = try MockServer { request in
                request.path == "/a" ? .redirect(to: "/b", status: 307) : .text("ok")
            }
            let opened = Mutex(0)
            let draft =
                MutableRequest.put(server.url("/a"))
                |> .stream {
                    opened.withLock { $0 += 1 }
                    return .data(Data("again".utf8))
                }
            #expect(try client.send(draft).redirects.count == 1)
            #expect(server.requests.map(\.text) == ["again", "again"])
            #expect(opened.withLock { $0 } == 2)
        },
        ContractCase("a POST whose connection dies before an answer is not sent again") { client in
            let server = try MockServer { _ in .text("ok") }
            _ = try client.send(.post(server.url) |> .data(Data("one".utf8)))
            _ = try client.send(.get(server.url))
            server.handler = { _ in .fault(.close(.beforeHead)) }
            let error = try client.executeRequest(.post(server.url) |> .data(Data("two".utf8))).error()
            guard case .connection(let failure) = error else { throw error }
            #expect(failure.mayHaveBeenProcessed)
            #expect(server.requests.map(\.text) == ["one", "", "two"])
        },
        ContractCase("an answer before the body is sent ends the call") { client in
            let server = try MockServer()
            server.earlyHandler = { _ in MockResponse.text("too much", status: 413).early() }
            let response = try client.send(.post(server.url) |> .stream { .data(Data(count: 8 << 20)) })
            #expect(response.status == 413)
            #expect(try response.text() == "too much")
        },
    ]

    /// What takes sending a body before its end is known.
    static let streamingCases: [ContractCase] = [
        ContractCase("a stream of unknown length arrives in chunks") { client in
            let server = try MockServer { _ in .text("ok") }
            let content = bytes(2_000_000)
            for part in [1 << 20, 1000] {
                let chunks = stride(from: 0, to: content.count, by: part).map {
                    Data(content[$0..<min($0 + part, content.count)])
                }
                _ = try client.send(.post(server.url) |> .stream { .chunks(chunks) })
                let received = try server.takeRequest()
                #expect(received.body == content)
                #expect(received.headers.values(for: "Transfer-Encoding") == ["chunked"])
                #expect(!received.headers.contains("Content-Length"))
            }
            _ = try client.send(.post(server.url) |> .stream { .data(Data()) })
            #expect(try server.takeRequest().body.isEmpty)
        }
    ]
}
