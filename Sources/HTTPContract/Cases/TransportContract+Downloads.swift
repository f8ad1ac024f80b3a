import HTTPMockServer
import HTTPCore
import HTTPSupport
import HTTPTesting

extension TransportContract {
    static let downloadCases: [Case] = [
        Case(.streaming, "a file comes into being whole") { stage in
            let content = MarkedContent.bytes(300_000)
            for framing in [MockResponse.Framing.contentLength, .chunked(), .untilClose] {
                let directory = try ScratchDirectory()
                let server = try stage.server { _ in .data(content).framed(framing) }
                let response = try stage.send(.get(server.url) |> .destination(.file(directory.file("a"))))
                try expect("the body in memory", response.body.count, is: 0)
                try expect("the body's size", response.bodyByteCount, is: 300_000)
                let file = try directory.read("a")
                try expect("the content, unchanged", file == content, got: file.count)
                try expect("the files", directory.names, is: ["a"])
            }
        },
        Case(.streaming, "an answer that fails leaves neither half a file nor a temporary one") { stage in
            for answer in [
                MockResponse.fault(.close(.midBody(after: 500))), .fault(.reset(.midBody(after: 500))),
                .data(MarkedContent.bytes(3000)).framed(.chunked()),
            ] {
                let directory = try ScratchDirectory()
                let path = try directory.write(Array("old".utf8), to: "a")
                let server = try stage.server { _ in answer }
                _ = try stage.failure(of: .get(server.url) |> .destination(.file(path)) |> .bodyLimit(2000))
                try expect("the files", directory.names, is: ["a"])
                try expect("the old content", try directory.read("a"), is: Array("old".utf8))
            }
        },
        Case(.streaming, "a refusal goes to memory, and the destination is not touched") { stage in
            let directory = try ScratchDirectory()
            let server = try stage.server { _ in .json(text: #"{"message":"not yours"}"#, status: .forbidden) }
            let response = try stage.send(.get(server.url) |> .destination(.file(directory.file("a"))))
            try expect("the body", try response.text(), is: #"{"message":"not yours"}"#)
            try expect("the files", directory.names, is: [])
        },
        Case(.streaming, "the sink is called on the calling thread, and finished once") { stage in
            let content = MarkedContent.bytes(300_000)
            let server = try stage.server { _ in .data(content) }
            let caller = CallingThread.current
            let log = Locked<(isCaller: Bool, bytes: [UInt8])>((true, []))
            let ends = Locked<[String]>([])
            let destination = sink(noting: ends) { bytes in
                let piece = Array(bytes)
                log.withLock {
                    $0.isCaller = $0.isCaller && CallingThread.current == caller
                    $0.bytes += piece
                }
            }
            try stage.send(.get(server.url) |> .destination(destination))
            let (isCaller, bytes) = log.withLock { $0 }
            try expect("every piece given by the caller", isCaller, got: "another thread")
            try expect("the content, unchanged", bytes == content, got: bytes.count)
            try expect("the ends", ends.withLock { $0 }, is: ["finish"])
        },
        Case(.streaming, "a sink that throws ends the call and is abandoned") { stage in
            let server = try stage.server { _ in .data(MarkedContent.bytes(300_000)) }
            let ends = Locked<[String]>([])
            let destination = sink(noting: ends) { _ in throw BrokenEnd() }
            let error = try stage.failure(of: .get(server.url) |> .destination(destination))
            guard case .body(let failure) = error else { throw ContractViolation("a body failure", "\(error)") }
            try expect("the reason", failure.reason, is: .sink)
            try expect("the sink's own error", failure.underlying is BrokenEnd, got: failure.underlying as Any)
            try expect("the ends", ends.withLock { $0 }, is: ["abandon"])
        },
        Case(.streaming, "a sink that has seen enough ends the call, and that is no failure") { stage in
            // It sends no more: an engine that reads everything first waits for ever.
            let server = try stage.server { _ in
                .data([UInt8](repeating: 7, count: 32 << 20)).failing(.stall(.midBody(after: 100_000)))
            }
            let (received, ends) = (Locked(0), Locked<[String]>([]))
            let destination = sink(noting: ends) { bytes in
                let count = bytes.count
                received.withLock { $0 += count }
                if received.withLock({ $0 > 1_000 }) { throw StopReading() }
            }
            let draft = MutableRequest.get(server.url) |> .destination(destination) |> .idleTimeout(.seconds(5))
            let response = try stage.send(draft)
            try expect("the status", response.status, is: .ok)
            try expect("the body in memory", response.body.isEmpty, got: response.body.count)
            try expect("the ends", ends.withLock { $0 }, is: ["abandon"])
            try server.wait(for: .openConnections(atMost: 0))
        },
        Case(.streaming, "a slow sink slows the server down") { stage in
            let content = [UInt8](repeating: 7, count: 32 << 20)
            let server = try stage.server { _ in .data(content).closing() }
            let (began, gate) = (Signal(), Signal())
            let destination = BodyDestination.stream { _ in
                BodySink(write: { _ in
                    began.fire()
                    _ = gate.wait(until: .now + .seconds(20))
                })
            }
            let call = ConcurrentCall(stage.client, .get(server.url) |> .destination(destination))
            try expect("a first piece", began.wait(until: .now + .seconds(10)), got: "none")
            // The server cannot close, because the buffers do not hold the whole body.
            let isDone = (try? server.wait(for: .endOfConnection(1), timeout: .seconds(1))) != nil
            gate.fire()
            try expect("the body's size", try call.result().get().bodyByteCount, is: 32 << 20)
            try expect("a server that is still sending", !isDone, got: "one that was done before the sink was")
            try server.wait(for: .openConnections(atMost: 0))
        },
    ]

    /// Notes in `ends` how it ends: `finish` or `abandon`.
    private static func sink(
        noting ends: Locked<[String]>, write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) -> BodyDestination {
        .stream { _ in
            BodySink(
                write: write, finish: { ends.withLock { $0.append("finish") } },
                abandon: { ends.withLock { $0.append("abandon") } })
        }
    }
}
