import HTTPTransfers
import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

/// 101 Switching Protocols, which no request asks for.
@Suite(.timeLimit(.minutes(5))) struct SwitchedProtocolTests {
    private static let flood = String(repeating: "x", count: 64 << 10)

    /// Switches, and sends meaningless bytes until the client has gone.
    private func server() throws -> RawServer {
        try RawServer(tls: false) { connection, _ in
            guard connection.readHead() != nil else { return }
            _ = connection.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
            while connection.write(Self.flood) {}
        }
    }

    private func expectViolation(_ result: Result<Response, HTTPError>) {
        guard case .failure(.protocolViolation(let failure)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(failure.reason.contains("switches protocols"))
        #expect(failure.record.metrics.bytesReceived < 4 << 20)
    }

    @Test func `a switch of protocols is refused before a byte after it is read`() throws {
        let server = try server()
        let directory = try ScratchDirectory()
        let taken = Mutex(0)
        let destinations: [BodyDestination] = [
            .memory, .file(directory.file("a")),
            .stream { _ in BodySink { bytes in taken.withLock { $0 += bytes.count } } },
        ]
        for destination in destinations {
            expectViolation(
                try server.transport().executeRequest(
                    .get(server.url()) |> .destination(destination) |> .timeout(.seconds(20))))
        }
        #expect(taken.withLock(\.self) == 0)
        #expect(!FileManager.default.fileExists(atPath: directory.file("a")))
        #expect(server.connectionCount == 3)
    }

    @Test func `a download and a batch refuse it, too`() throws {
        let server = try server()
        let directory = try ScratchDirectory()
        let client = try server.transport()
        let batch = client.executeRequests([
            MutableRequest.get(server.url()) |> .timeout(.seconds(20)),
            .get(server.url()) |> .timeout(.seconds(20)),
        ])
        for result in batch { expectViolation(result) }
        let download = Result(
            try client.download(.get(server.url()) |> .timeout(.seconds(20)), to: directory.file("a")))
        guard case .failure(.protocolViolation) = download else {
            Issue.record("\(download)")
            return
        }
    }
}
