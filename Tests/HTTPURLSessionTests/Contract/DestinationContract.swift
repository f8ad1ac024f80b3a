import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

enum DestinationContract {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    private struct SinkBroke: Error {}

    static let cases: [ContractCase] = [
        ContractCase("a file comes into being whole") { client in
            for framing in [MockResponse.Framing.contentLength, .chunked(), .untilClose] {
                let directory = try ScratchDirectory()
                let server = try MockServer { _ in .bytes(content).framed(framing) }
                let response = try client.send(.get(server.url) |> .destination(.file(directory.file("a"))))
                #expect(response.body.isEmpty && response.bodyByteCount == 300_000)
                #expect(try directory.read("a") == content)
                #expect(directory.names == ["a"])
            }
        },
        ContractCase("an answer that fails leaves neither half a file nor a temporary one") { client in
            for answer in [
                MockResponse.fault(.close(.midBody(after: 500))), .fault(.reset(.midBody(after: 500))),
                .bytes(Array(repeating: 1, count: 3000)).framed(.chunked()),
            ] {
                let directory = try ScratchDirectory()
                let path = try directory.write(Array("old".utf8), to: "a")
                let server = try MockServer { _ in answer }
                let draft = MutableRequest.get(server.url) |> .destination(.file(path)) |> .bodyLimit(2000)
                #expect(throws: HTTPError.self) { try client.send(draft) }
                #expect(directory.names == ["a"])
                #expect(try directory.read("a") == Array("old".utf8))
            }
        },
        ContractCase("a refusal goes to memory, and the destination is not touched") { client in
            let directory = try ScratchDirectory()
            let server = try MockServer { _ in .json(#"{"message":"not yours"}"#, status: .forbidden) }
            let response = try client.send(.get(server.url) |> .destination(.file(directory.file("a"))))
            #expect(try response.text() == #"{"message":"not yours"}"#)
            #expect(directory.names.isEmpty)
        },
        ContractCase("the sink is called on the calling thread, and finished once") { client in
            let server = try MockServer { _ in .bytes(content) }
            let caller = pthread_self()
            let log = Mutex<(isCaller: Bool, bytes: [UInt8], ends: [String])>((true, [], []))
            let destination = BodyDestination.stream { _ in
                BodySink(
                    write: { bytes in
                        log.withLock {
                            $0.isCaller = $0.isCaller && pthread_equal(caller, pthread_self()) != 0
                            $0.bytes += bytes
                        }
                    }, finish: { log.withLock { $0.ends.append("finish") } },
                    abandon: { log.withLock { $0.ends.append("abandon") } })
            }
            _ = try client.send(.get(server.url) |> .destination(destination))
            log.withLock { #expect($0.isCaller && $0.bytes == content && $0.ends == ["finish"]) }
        },
        ContractCase("a sink that throws ends the call and is abandoned") { client in
            let server = try MockServer { _ in .bytes(content) }
            let ends = Mutex<[String]>([])
            let destination = BodyDestination.stream { _ in
                BodySink(
                    write: { _ in throw SinkBroke() }, finish: { ends.withLock { $0.append("finish") } },
                    abandon: { ends.withLock { $0.append("abandon") } })
            }
            let error = try client.executeRequest(.get(server.url) |> .destination(destination)).error()
            guard case .body(let failure) = error else { throw error }
            #expect(failure.reason == .sink && failure.underlying is SinkBroke)
            #expect(ends.withLock { $0 } == ["abandon"])
        },
        ContractCase("a slow sink slows the server down") { client in
            let size = 32 << 20
            let server = try MockServer { _ in .bytes(Array(repeating: 7, count: size)).closing() }
            let gate = DispatchSemaphore(value: 0)
            let began = DispatchSemaphore(value: 0)
            let token = CancellationToken()
            let isFirst = Mutex(true)
            let destination = BodyDestination.stream { _ in
                BodySink(write: { _ in
                    guard
                        isFirst.withLock({ first in
                            defer { first = false }
                            return first
                        })
                    else { return }
                    began.signal()
                    gate.wait()
                })
            }
            let thread = TestThread {
                _ = token.run { client.executeRequest(.get(server.url) |> .destination(destination)) }
            }
            began.wait()
            // All but what fits into the buffers on the way is still the server's: it cannot close.
            #expect(throws: MockServerError.self) { try server.waitForConnectionClosed(1, timeout: .seconds(1)) }
            gate.signal()
            thread.join()
            try server.waitForOpenConnectionCount(atMost: 0)
        },
    ]
}
