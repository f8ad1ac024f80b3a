import TestSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

@Suite struct LimitTests {
    let client = CurlTransport()

    @Test(arguments: [MockResponse.Framing.contentLength, .chunked(), .untilClose])
    func `a body up to the limit is taken and one byte more is refused`(framing: MockResponse.Framing) throws {
        let server = try MockServer { _ in MockResponse.data(Array(repeating: 1, count: 1000)).framed(framing) }
        #expect(try client.send(.get(server.url("/")) |> .bodyLimit(1000)).body.count == 1000)
        let error = try #require(client.executeRequest(.get(server.url("/")) |> .bodyLimit(999)).failure)
        guard case .limitExceeded(let failure) = error else { throw error }
        #expect(failure.limit == .body)
        #expect(failure.value == 999)
        #expect("\(error)".contains("larger than 999 bytes; .bodyLimit(_:) raises the limit"))
    }

    @Test func `a head up to the limit is taken and a larger one is refused`() throws {
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

    @Test func `many small headers count together`() throws {
        let server = try MockServer { _ in
            (0..<1000).reduce(MockResponse.text("x")) { $0.header("X-\($1)", String(repeating: "a", count: 80)) }
        }
        let error = try #require(client.executeRequest(.get(server.url("/"))).failure)
        guard case .limitExceeded(let failure) = error else { throw error }
        #expect(failure.limit == .header)
    }

    @Test func `a connection whose response was refused is not used again`() throws {
        let server = try MockServer { _ in .data(Array(repeating: 1, count: 100_000)) }
        _ = client.executeRequest(.get(server.url("/")) |> .bodyLimit(10))
        _ = try client.send(.get(server.url("/")))
        #expect(server.requests.map(\.connection) == [1, 2])
    }
}
