import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension HeaderStepTests {
    @Test func `an idempotency key is new for each built request and stays the same when that is sent again`() throws {
        let server = try MockServer { _ in .text("ok") }
        let client = CurlTransport()
        let step = RequestStep.idempotencyKey()
        let first = try Request(.post(server.url) |> step)
        let second = try Request(.post(server.url) |> step)
        for request in [first, first, second] { _ = try client.send(request) }
        let keys = server.requests.compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3 && keys[0] == keys[1] && keys[1] != keys[2])
        #expect(keys.allSatisfy { UUID(uuidString: $0) != nil })
        #expect(try headers(.idempotencyKey() |> .idempotencyKey("mine")) == ["Idempotency-Key": "mine"])
    }

    @Test func `the User-Agent is the transport's, the request's own, or absent`() throws {
        let server = try MockServer { _ in .text("ok") }
        var configuration = CurlConfiguration()
        _ = try CurlTransport(configuration).send(.get(server.url))
        _ = try CurlTransport(configuration).send(
            .get(server.url) |> .userAgent("app/1") |> .removingHeader("User-Agent"))
        _ = try CurlTransport(configuration).send(.get(server.url) |> .userAgent("app/1"))
        configuration.userAgent = nil
        _ = try CurlTransport(configuration).send(.get(server.url))
        let agents = server.requests.map { $0.headers["User-Agent"] }
        #expect(agents.suffix(3) == [agents[0], "app/1", nil], "no step removes the default")
        #expect(agents.count == 4 && agents[0]?.wholeMatch(of: /straightline\/\d+\.\d+\.\d+/) != nil)
    }
}
