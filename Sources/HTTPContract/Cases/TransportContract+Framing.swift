import HTTPMockServer
import HTTPCore

extension TransportContract {
    static let framingCases: [Case] = [
        Case(.framing, "a body of any size and framing arrives whole") { stage in
            for size in [0, 1, 16_383, 16_384, 300_000] {
                let content = MarkedContent.bytes(size)
                for framing in [MockResponse.Framing.contentLength, .chunked(sizes: [1, 4096]), .untilClose] {
                    let server = try stage.server { _ in .data(content).framed(framing) }
                    let body = Array(try stage.send(.get(server.url("/"))).body)
                    try expect("\(size) bytes framed as \(framing), unchanged", body == content, got: body.count)
                }
            }
        },
        Case(.framing, "a status that has no body has none, whatever its head announces") { stage in
            for status in [HTTPStatus.noContent, .notModified] {
                let server = try stage.server { _ in
                    MockResponse(status: status, headers: ["Content-Encoding": "gzip", "Content-Length": "5"])
                }
                let response = try stage.send(.get(server.url("/")))
                try expect("the status", response.status, is: status)
                try expect("the body's size", response.body.count, is: 0)
            }
        },
        Case(.framing, "trailer fields behind a chunked body are kept apart") { stage in
            let server = try stage.server { _ in
                MockResponse.text("body").framed(.chunked(sizes: [2])).trailer("X-Sum", "42")
            }
            let response = try stage.send(.get(server.url("/")))
            try expect("the body", try response.text(), is: "body")
            try expect("the trailers", response.trailers, is: ["X-Sum": "42"])
            try expect("X-Sum among the headers", response.headers["X-Sum"], is: nil)
        },
        Case(.framing, "a head or body that can be read two ways is a protocol violation") { stage in
            try refuses(
                stage,
                [
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
                    "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
                ])
        },
        Case(.framing, "a chunk size with a letter behind it and a chunk line without CR are refused") { stage in
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            try refuses(stage, [head + "5x\r\nhello\r\n0\r\n\r\n", head + "5\nhello\r\n0\r\n\r\n"])
        },
        Case(.framing, "a body that is not in its content coding is a protocol violation") { stage in
            try refuses(stage, ["HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"])
        },
        Case(.framing, "a switch of protocols is refused") { stage in
            let server = try stage.server { _ in
                .raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\nhello")
                    .failing(.stall(.afterBody))
            }
            let error = try stage.failure(of: .get(server.url("/")) |> .idleTimeout(.seconds(5)))
            guard case .protocolViolation = error else { throw ContractViolation("a protocol violation", "\(error)") }
        },
        Case(.framing, "a protocol name in small letters and a NUL or CR in a value are refused") { stage in
            try refuses(
                stage,
                [
                    "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 0\r\n\r\n",
                ])
        },
        Case(.framing, "any other control character in a value costs nothing") { stage in
            let server = try stage.server { _ in
                .raw("HTTP/1.1 200 OK\r\nX: a\u{1}\u{7F}b\r\nContent-Length: 2\r\n\r\nok")
            }
            let response = try stage.send(.get(server.url("/")))
            try expect("X", response.headers["X"], is: "a\u{1}\u{7F}b")
            try expect("the body", try response.text(), is: "ok")
        },
        Case(.framing, "a body in a coding that nobody knows is delivered as it came") { stage in
            for (codings, body) in [
                ("unheard-of", Array("hello".utf8)), ("gzip, unheard-of", CodedText.gzip),
                ("unheard-of, gzip", CodedText.gzip),
            ] {
                let server = try stage.server { _ in MockResponse.data(body).header("Content-Encoding", codings) }
                let response = try stage.send(.get(server.url("/")))
                try expect("the body in \(codings)", Array(response.body), is: body)
                try expect("Content-Encoding", response.headers["Content-Encoding"], is: codings)
            }
        },
    ]

    private static func refuses(_ stage: ContractStage, _ answers: [String]) throws {
        for answer in answers {
            let server = try stage.server { _ in .raw(answer) }
            let error = try stage.failure(of: .get(server.url("/")) |> .idleTimeout(.seconds(2)))
            guard case .protocolViolation = error else {
                throw ContractViolation("a protocol violation of \(answer.debugDescription)", "\(error)")
            }
        }
    }
}
