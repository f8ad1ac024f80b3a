import HTTPCore
import HTTPCurl
import HTTPFoundation
import HTTPMockServer
import HTTPSupport
import TestSupport
import Testing

/// Calls that wait to learn whether a connection over TLS can be shared, which it cannot.
@Suite(.timeLimit(.minutes(1))) struct UnsharedConnectionTests {
    @Test(arguments: [EntryStyle.batch, .awaited], [2, 6])
    func `a call does not wait for the answer to another, over a connection of its own`(
        style: EntryStyle, count: Int
    ) async throws {
        let arrived = Locked(0)
        let areAllThere = Signal()
        let server = try MockServer(security: .tls(), versions: [.http1_1]) { request in
            arrived.withLock { $0 += 1 }
            if arrived.withLock(\.self) == count { areAllThere.fire() }
            _ = areAllThere.wait()
            return .text(request.path)
        }
        let requests = try (0..<count).map { number in
            try Request(.get(server.url("/\(number)")) |> .connectTimeout(.seconds(5)))
        }
        let client = try CurlTransport.trusting(server)
        let results = await style.results(of: requests, over: client, atOnce: count)
        for (request, result) in zip(requests, results) {
            #expect(try result.get().text() == request.url.path)
        }
        #expect(server.requestCount == count && server.connectionCount == count)
    }

    @Test(arguments: [EntryStyle.batch, .awaited])
    func `the time to connect begins anew when the connection of another cannot be shared`(
        style: EntryStyle
    ) async throws {
        let areAllThere = Signal()
        // Each handshake takes more than half of the time.
        let server = try RawServer(tls: true, beforeHandshake: { usleep(600_000) }) { connection, number in
            guard connection.readHead() != nil else { return }
            if number == 5 { areAllThere.fire() }
            _ = areAllThere.wait()
            _ = connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let requests = try (0..<5).map { _ in try Request(.get(server.url()) |> .connectTimeout(.seconds(1))) }
        let results = await style.results(of: requests, over: try server.transport(), atOnce: 5)
        #expect(try results.map { try $0.get().text() } == Array(repeating: "ok", count: 5))
        #expect(server.connectionCount == 5)
    }

    @Test func `when the connection of another fails, all that wait for it connect at once`() throws {
        let areOthersThere = Signal()
        let proxy = try RawServer(tls: false) { connection, number in
            guard connection.readHead()?.hasPrefix("CONNECT h.test:443 ") == true else { return }
            if number == 5 { areOthersThere.fire() }
            if number > 1 { _ = areOthersThere.wait() }
            _ = connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        }
        let client = try proxy.transport { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port)) }
        let requests = try (0..<5).map { _ in try Request(.get("https://h.test/") |> .connectTimeout(.seconds(5))) }
        for result in client.executeRequests(requests, maxConcurrent: 5) {
            guard case .failure(.connection(let failure)) = result, failure.reason == .proxy else {
                Issue.record("\(result)")
                continue
            }
            #expect(failure.description.contains("403"), "\(failure)")
        }
        #expect(proxy.connectionCount == 5)
    }

    @Test func `nor does one for which HTTP/2 would do wait for one in HTTP/1.1`() throws {
        let isSecondThere = Signal()
        let server = try MockServer(security: .tls(), versions: [.http2, .http1_1]) { request in
            if request.path == "/1" { isSecondThere.fire() } else { _ = isSecondThere.wait() }
            return .text(request.path)
        }
        let requests = try [VersionPolicy.http1, .automatic].enumerated().map { number, version in
            try Request(.get(server.url("/\(number)")) |> .version(version) |> .connectTimeout(.seconds(5)))
        }
        let results = try CurlTransport.trusting(server).executeRequests(requests, maxConcurrent: 2)
        #expect(try results.map { try $0.get().version } == [.http1_1, .http2])
        #expect(server.requestCount == 2)
    }
}
