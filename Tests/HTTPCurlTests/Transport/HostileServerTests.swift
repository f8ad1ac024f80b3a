import TestSupport
import HTTPEngine
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Malicious servers, and connections after a failure.
@Suite(.timeLimit(.minutes(5))) struct HostileServerTests {
    let client = CurlTransport()

    /// 10,000 empty gzip members, compressed again: 200,000 bytes between the codings, and none at the end.
    private static let hollowBody =
        "H4sIAAAAAAACA+3IsQ0AIAgAMCKLX3AwTxMGVy9ox1bfWCcznnLOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845"
        + "55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845"
        + "55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845"
        + "55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845"
        + "55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845"
        + "55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845"
        + "55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOefc9wYR"
        + "z2fWQA0DAA=="

    @Test func `the output between nested codings counts against the limit of the body`() throws {
        let body = try #require(Data(base64Encoded: Self.hollowBody))
        let server = try MockServer { _ in
            MockResponse.data(Array(body)).header("Content-Encoding", "gzip, gzip")
        }
        let error = try #require(client.executeRequest(.get(server.url("/")) |> .bodyLimit(1000)).failure)
        guard case .limitExceeded(let failure) = error else { throw error }
        #expect(failure.limit == .body)
        #expect(try client.send(.get(server.url("/")) |> .bodyLimit(200_000)).body.isEmpty)
    }

    @Test func `a large body is sent again in full when a kept connection is lost, if the method allows it`() throws {
        let server = try MockServer { .text("\($0.bodyByteCount)") }
        _ = try client.send(.get(server.url("/")))
        server.enqueue(.fault(.close(.beforeHead)))
        let response = try client.send(.put(server.url("/")) |> .data(Data(count: 3_000_000)))
        #expect(try response.text() == "3000000")
        #expect(response.metrics.attemptCount == 2)
    }

    @Test func `a large lost body leaves nothing behind for the next one`() throws {
        let server = try MockServer { .text("\($0.bodyByteCount)") }
        _ = try client.send(.get(server.url("/")))
        server.enqueue(.fault(.close(.beforeHead)))
        let lost = client.executeRequest(.post(server.url("/")) |> .data(Data(count: 3_000_000)))
        guard case .failure(.connection(let failure)) = lost else { return unexpected(lost) }
        #expect(failure.mayHaveBeenProcessed)
        let next = try client.send(.post(server.url("/")) |> .data(Data(count: 2_000_000)))
        #expect(try next.text() == "2000000")
        #expect(server.requests.map(\.bodyByteCount) == [0, 3_000_000, 2_000_000])
    }

    @Test func `after the deadline nothing is sent, even on an existing connection`() throws {
        let server = try MockServer { _ in .text("ok") }
        _ = try client.send(.get(server.url("/")))
        let result = CallDeadline(.seconds(-1)).run { client.executeRequest(.post(server.url("/pay"))) }
        guard case .timedOut(let failure)? = result.failure else { throw try #require(result.failure) }
        #expect(failure.limit == .total)
        // A connection with sent data would not be reused.
        _ = try client.send(.get(server.url("/after")))
        #expect(server.requests.map(\.target) == ["/", "/after"])
        #expect(server.requests.map(\.connection) == [1, 1])
    }

    @Test func `only the head of a redirect counts`() throws {
        let server = try MockServer { request in
            request.path == "/end"
                ? .text("there")
                : MockResponse.data(Array(repeating: 1, count: 100), status: .found).header("Location", "/end")
                    .failing(.close(.midBody(after: 10)))
        }
        #expect(try client.send(.get(server.url("/"))).text() == "there")
    }

    @Test func `a range of a body is not requested in a coding that only the whole can be decoded from`() throws {
        let server = try MockServer { _ in .text("ok") }
        _ = try client.send(.get(server.url("/")) |> .header("Range", "bytes=0-1"))
        #expect(try #require(server.requests.first).headers["Accept-Encoding"] == nil)
    }

    @Test(arguments: [MockResponse.Framing.contentLength, .chunked(sizes: [30])])
    func `a body in an unknown coding is limited and passed to a sink undecoded`(framing: MockResponse.Framing) throws {
        let server = try MockServer { _ in
            MockResponse.text("a body of 100 bytes" + String(repeating: ".", count: 81))
                .header("Content-Encoding", "none").framed(framing)
        }
        let (count, length) = (Locked(0), Locked<Int64?>(nil))
        let sink = BodyDestination.stream { start in
            length.withLock { $0 = start.bodyLength }
            return BodySink(write: { bytes in count.withLock { $0 += bytes.count } })
        }
        _ = try client.send(.get(server.url("/")) |> .bodyLimit(100) |> .destination(sink))
        #expect(count.withLock { $0 } == 100)
        #expect(length.withLock { $0 } == (framing == .contentLength ? 100 : nil))
        let error = try #require(client.executeRequest(.get(server.url("/")) |> .bodyLimit(99)).failure)
        guard case .limitExceeded(let failure) = error else { throw error }
        #expect(failure.limit == .body && failure.value == 99)
    }

    @Test func `unlimited limits cause no overflow`() throws {
        var configuration = CurlConfiguration()
        configuration.pool = PoolConfiguration(idlePerOrigin: .max, idleInAll: .max, idleTime: .seconds(Int64.max))
        let server = try MockServer { _ in .text("ok") }
        let client = try CurlTransport(configuration)
        let far = Duration.seconds(Int64.max)
        let request =
            MutableRequest.get(server.url("/")) |> .connectTimeout(far) |> .idleTimeout(far) |> .timeout(far)
            |> .bodyLimit(.max) |> .headerLimit(.max)
        #expect(try client.send(request).status == .ok)
        #expect(try client.send(request).status == .ok)
    }
}
