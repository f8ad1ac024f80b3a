import HTTPCore
import HTTPCurl
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
