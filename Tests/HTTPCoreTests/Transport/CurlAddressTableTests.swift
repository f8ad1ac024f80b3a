#if canImport(CLibcurl)
import CLibcurl
import HTTPTesting
import Testing

@testable import HTTPCore

/// When libcurl need not go through the addresses it knows.
@Suite(.enabled(if: CurlLibrary.shared.keepsAddresses, "this libcurl would forget them all"))
struct CurlAddressTableTests {
    private let server: MockServer

    init() throws { server = try MockServer { $0.target == "/last" ? MockResponse.text("ok").closing() : .text("ok") } }

    /// Whether the one transfer that there is left them alone after each of these requests.
    private func isLeftAlone(afterEachOf targets: String...) throws -> [Bool] {
        let client = CurlTransport()
        return try targets.map { target in
            let request = try Request(.get(server.url(target)))
            _ = try client.executeRequest(request).get()
            let lane = try client.pool.checkOut(CurlCall(request, defaultVersion: .automatic).key, at: .now)
            defer { client.pool.checkIn(lane) }
            return lane.transfer.exchange.connection.addresses.isLeftAlone
        }
    }

    private let nowhere = CurlEnds(remoteAddress: nil, remotePort: 0, localAddress: nil, localPort: 0)

    @Test func `they are left alone over a connection that was there before`() throws {
        #expect(try isLeftAlone(afterEachOf: "/", "/", "/") == [false, true, true])
        #expect(server.requests.map(\.connection) == [1, 1, 1])
    }

    @Test func `the old ones are thrown out again with the next connection`() throws {
        #expect(try isLeftAlone(afterEachOf: "/", "/last", "/", "/") == [false, true, false, true])
        #expect(server.requests.map(\.connection) == [1, 1, 2, 2])
    }

    @Test func `while they are left alone, no connection may be opened`() throws {
        let easy = try #require(curl_easy_init())
        defer { curl_easy_cleanup(easy) }
        var exchange = CurlExchange(keepsHead: false, addresses: CurlHandle(easy: easy))
        exchange.begin(CallPlan(try Request(.get("http://localhost/"))).position)
        #expect(!exchange.connection.addresses.isLeftAlone)
        let mayBegin = exchange.maySend(between: nowhere)
        #expect(mayBegin && exchange.connection.addresses.isLeftAlone)
        let mayConnect = exchange.connection.mayOpen()
        #expect(!mayConnect)
    }

    @Test func `they are not where exchanges share connections, of which the last may have opened none`() throws {
        for (url, isOwn) in [("https://localhost/", false), ("http://localhost/", true)] {
            let key = CurlTransfer.Key(origin: try Request(.get(url)).url.origin, version: .automatic)
            let transfer = try CurlTransfer(
                key, CurlConfiguration(), CurlHeaderLists(userAgent: nil), isShared: true)
            transfer.exchange.begin(CallPlan(try Request(.get(url))).position)
            _ = transfer.exchange.maySend(between: nowhere)
            #expect(transfer.exchange.connection.addresses.isLeftAlone == isOwn)
        }
    }
}
#endif
