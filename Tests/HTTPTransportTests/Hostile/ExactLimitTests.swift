import HTTPCore
import HTTPTesting
import Testing

/// Limits exact to the byte, and those of a refusal.
@Suite(.timeLimit(.minutes(5))) struct ExactLimitTests {
    private static let head = "HTTP/1.1 200 OK\r\nX-Mark: 1\r\nContent-Length: 2\r\n\r\n"

    private func server(_ answer: String) throws -> RawServer {
        try RawServer(tls: false) { connection, _ in
            while connection.readHead() != nil, connection.write(answer) {}
        }
    }

    @Test func `a head may have as many bytes as its limit, and no more`() throws {
        let server = try server(Self.head + "ok")
        let client = try server.transport()
        let size = Self.head.utf8.count
        #expect(try client.send(.get(server.url()) |> .headerLimit(size)).text() == "ok")
        let error = client.executeRequest(.get(server.url()) |> .headerLimit(size - 1)).error
        guard case .limitExceeded(let failure) = error else { throw Program.Failure(description: "\(error as Any)") }
        #expect(failure.limit == .header && failure.value == size - 1)
    }

    @Test func `a refusal in place of a file has a limit, although the file has none`() throws {
        let server = try server("HTTP/1.1 500 No\r\nContent-Length: 999999999999\r\n\r\n")
        let directory = try ScratchDirectory()
        let draft =
            MutableRequest.get(server.url()) |> .destination(.file(directory.file("a"))) |> .timeout(.seconds(20))
        let error = try server.transport().executeRequest(draft).error
        guard case .limitExceeded(let failure) = error else { throw Program.Failure(description: "\(error as Any)") }
        #expect(failure.limit == .body)
    }
}
