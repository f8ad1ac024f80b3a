import HTTPMockServer
import HTTPCore
import HTTPFoundation
import HTTPSupport
import HTTPTesting

extension TransportContract {
    static let uploadCases: [Case] = [
        Case(.streaming, "a file and a stream of known length arrive with that length") { stage in
            let directory = try ScratchDirectory()
            for size in [0, 1, 63, 64, 65, 4096, 16_384, 65_536, 3_000_000] {
                let content = MarkedContent.bytes(size)
                let path = try directory.write(content, to: "f")
                let server = try stage.server { _ in .text("ok") }
                for step in [
                    RequestStep.file(path, contentType: "text/plain"),
                    .stream(length: Int64(size), contentType: "text/plain") { .data(Data(content)) },
                ] {
                    try expect("the status", try stage.send(.put(server.url) |> step).status, is: .ok)
                    let received = try server.takeRequest()
                    try expect("\(size) bytes, unchanged", received.body == content, got: received.body.count)
                    try expect("Content-Length", received.headers.values(for: "Content-Length"), is: ["\(size)"])
                    try expect("Content-Type", received.headers.values(for: "Content-Type"), is: ["text/plain"])
                    try expect("Transfer-Encoding", received.headers["Transfer-Encoding"], is: nil)
                    try expect("Expect", received.headers["Expect"], is: nil)
                }
                try expect("protocol violations", server.protocolViolations.count, is: 0)
            }
        },
        Case(.streaming, "a stream of unknown length arrives in chunks") { stage in
            let server = try stage.server { _ in .text("ok") }
            let content = MarkedContent.bytes(2_000_000)
            for part in [1 << 20, 1000] {
                let chunks = stride(from: 0, to: content.count, by: part).map {
                    Data(content[$0..<min($0 + part, content.count)])
                }
                try stage.send(.post(server.url) |> .stream { .chunks(chunks) })
                let received = try server.takeRequest()
                try expect("the content, unchanged", received.body == content, got: received.body.count)
                try expect("Transfer-Encoding", received.headers.values(for: "Transfer-Encoding"), is: ["chunked"])
                try expect("Content-Length", received.headers["Content-Length"], is: nil)
            }
            try stage.send(.post(server.url) |> .stream { .data(Data()) })
            try expect("the body's size", try server.takeRequest().body.count, is: 0)
        },
        Case(.streaming, "trailer fields are sent behind the body, or refused before anything is sent") { stage in
            let server = try stage.server { _ in .text("ok") }
            let content = MarkedContent.bytes(100_000)
            let given = Locked(0)
            let step = RequestStep.stream(length: 100_000) {
                var left = content[...]
                return BodySource { room in
                    let part = left.prefix(room.count)
                    left = left.dropFirst(part.count)
                    given.withLock { $0 += part.count }
                    room.copyBytes(from: part)
                    return part.count
                }
            }
            let trailers = RequestStep.trailers("X-Count") { ["X-Count": "\(given.withLock { $0 })"] }
            let result = stage.client.executeRequest(.post(server.url) |> step |> trailers)
            if case .failure(.unsupported) = result {
                return try expect("the number of connections", server.connectionCount, is: 0)
            }
            _ = try result.get()
            let received = try server.takeRequest()
            try expect("the content, unchanged", received.body == content, got: received.body.count)
            try expect("Transfer-Encoding", received.headers.values(for: "Transfer-Encoding"), is: ["chunked"])
            try expect("Content-Length", received.headers["Content-Length"], is: nil)
            try expect("Trailer", received.headers.values(for: "Trailer"), is: ["X-Count"])
            try expect("the trailers", received.trailers, is: ["X-Count": "100000"])
            try stage.send(.post(server.url) |> .text("no more"))
            try expect("the trailers of the next", try server.takeRequest().trailers, is: [:])
        },
        Case(.streaming, "a stream that gives a byte at a time arrives whole") { stage in
            let content = MarkedContent.bytes(200)
            let server = try stage.server { _ in .text("ok") }
            for length in [200, nil] as [Int64?] {
                let step = RequestStep.stream(length: length) { .chunks(content.map { Data([$0]) }) }
                try stage.send(.post(server.url) |> step)
                try expect("the body", try server.takeRequest().body, is: content)
            }
        },
        Case(.streaming, "a stream that ends late arrives whole, whatever its length") { stage in
            let server = try stage.server { _ in .text("ok") }
            for size in [0, 1, 16_384, 49_152] {
                let step = RequestStep.stream {
                    var left = size
                    return BodySource { room in
                        if left == 0 { _ = Signal().wait(until: .now + .milliseconds(20)) }
                        let count = min(left, room.count, 8192)
                        left -= count
                        return count
                    }
                }
                try stage.send(.post(server.url) |> step |> .timeout(.seconds(5)))
                try expect("the body's size", try server.takeRequest().bodyByteCount, is: size)
            }
        },
        Case(.streaming, "the source is asked on the calling thread") { stage in
            let server = try stage.server { _ in .text("ok") }
            let (caller, isCaller) = (CallingThread.current, Locked(true))
            let step = RequestStep.stream {
                var left = 5
                return BodySource { room in
                    isCaller.withLock { $0 = $0 && CallingThread.current == caller }
                    left -= 1
                    return left >= 0 ? room.count : 0
                }
            }
            try stage.send(.post(server.url) |> step)
            try expect("every piece asked for by the caller", isCaller.withLock { $0 }, got: "another thread")
            let size = try server.takeRequest().bodyByteCount
            try expect("a body of five pieces", size > 4, got: size)
        },
        Case(.streaming, "a source that breaks off ends the call, and the server never gets a whole request") { stage in
            let server = try stage.server { _ in .text("ok") }
            for length in [nil, 300_000] as [Int64?] {
                let step = RequestStep.stream(length: length) {
                    var left = 3
                    return BodySource { room in
                        left -= 1
                        guard left >= 0 else { throw BrokenEnd() }
                        return min(room.count, 50_000)
                    }
                }
                let error = try stage.failure(of: .post(server.url) |> step)
                guard case .body(let failure) = error else { throw ContractViolation("a body failure", "\(error)") }
                try expect("the reason", failure.reason, is: .source)
                try expect("the source's own error", failure.underlying is BrokenEnd, got: failure.underlying as Any)
            }
            try server.wait(for: .openConnections(atMost: 0))
            try expect("the number of requests", server.requestCount, is: 0)
        },
        Case(.streaming, "a source with fewer or more bytes than its length makes no whole request") { stage in
            let server = try stage.server { _ in .text("ok") }
            for (size, reason) in [
                (3, BodyFailure.Reason.sourceTooShort(expected: 5, actual: 3)),
                (6, .sourceTooLong(expected: 5, atLeast: 6)),
            ] {
                let step = RequestStep.stream(length: 5) { .data(Data(count: size)) }
                let error = try stage.failure(of: .post(server.url) |> step)
                guard case .body(let failure) = error else { throw ContractViolation("a body failure", "\(error)") }
                try expect("the reason", failure.reason, is: reason)
            }
            try server.wait(for: .openConnections(atMost: 0))
            try expect("the number of requests", server.requestCount, is: 0)
        },
        Case(.streaming, "redirects that repeat the request open the source anew") { stage in
            let server = try stage.server { request in
                request.path == "/a" ? .redirect(to: "/b", status: 307) : .text("ok")
            }
            let opened = Locked(0)
            let step = RequestStep.stream {
                opened.withLock { $0 += 1 }
                return .data(Data("again".utf8))
            }
            try expect("the redirects", try stage.send(.put(server.url("/a")) |> step).redirects.count, is: 1)
            try expect("the bodies", server.requests.map(\.text), is: ["again", "again"])
            try expect("how often the source was opened", opened.withLock { $0 }, is: 2)
        },
        Case(.streaming, "an answer before the body is sent ends the call") { stage in
            let server = try stage.server()
            // It reads no more: an engine that sends everything first stands still.
            server.earlyHandler = { _ in .text("too much", status: 413).early().failing(.stall(.afterBody)) }
            let draft = MutableRequest.post(server.url) |> .stream { .data(Data(count: 8 << 20)) }
            let response = try stage.send(draft |> .idleTimeout(.seconds(5)))
            try expect("the status", response.status, is: 413)
            try expect("the body", try response.text(), is: "too much")
        },
    ]
}

extension RequestStep {
    static func bytes(_ bytes: some Sequence<UInt8>, contentType: String? = "application/octet-stream") -> RequestStep {
        .data(Data(bytes), contentType: contentType)
    }
}

/// The error of a case's source or sink.
struct BrokenEnd: Error {}
