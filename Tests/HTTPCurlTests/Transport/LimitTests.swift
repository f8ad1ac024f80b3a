import TestSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

@Suite struct LimitTests {
    let client = CurlTransport()

    @Test func `a long line counts against the limit of the head, and is taken up to it`() throws {
        let server = try MockServer { _ in
            MockResponse.text("x").header("X-Long", String(repeating: "a", count: 70_000))
        }
        let error = try #require(client.executeRequest(.get(server.url("/"))).failure)
        guard case .limitExceeded(let failure) = error else { throw error }
        #expect(failure.limit == .header)
        #expect("\(error)".contains("larger than 64 KiB; .headerLimit(_:) raises the limit"))
        #expect(try client.send(.get(server.url("/")) |> .headerLimit(80_000)).headers["X-Long"]?.count == 70_000)
    }

    @Test func `a line longer than the engine takes is no limit of ours, and the advice says so`() throws {
        let server = try MockServer { _ in
            MockResponse.text("x").header("X-Long", String(repeating: "a", count: 150_000))
        }
        let error = try #require(client.executeRequest(.get(server.url("/")) |> .headerLimit(1 << 20)).failure)
        guard case .limitExceeded(let failure) = error else { throw error }
        #expect(failure.limit == .headerLine && failure.value == 100 << 10)
        #expect("\(error)".contains("longer than 100 KiB, the most that the engine takes, and no setting raises that"))
        let own = try #require(client.executeRequest(.get(server.url("/"))).failure)
        #expect("\(own)".contains("larger than 64 KiB; .headerLimit(_:) raises the limit"))
        #expect(server.requestCount == 2)
    }

    @Test func `a trailer line longer than the engine takes is a limit, and no broken chunk`() throws {
        let server = try MockServer { _ in
            MockResponse.text("x").framed(.chunked()).trailer("X-Long", String(repeating: "a", count: 5000))
        }
        let error = try #require(client.executeRequest(.get(server.url("/"))).failure)
        guard case .limitExceeded(let failure) = error else { throw error }
        #expect(failure.limit == .headerLine && failure.value == 4 << 10)
        #expect("\(error)".contains("or of the trailers, is longer than 4 KiB, the most that the engine takes"))
        let own = client.executeRequest(.get(server.url("/")) |> .headerLimit(4000))
        guard case .limitExceeded(let failure)? = own.failure else { return unexpected(own) }
        #expect(failure.limit == .header && failure.value == 4000)
    }
}
