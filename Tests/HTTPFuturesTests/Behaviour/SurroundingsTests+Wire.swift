import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPFutures
import HTTPMockServer
import HTTPTesting
import Testing

extension SurroundingsTests {
    @Test func `Ten chains behind one refresh send their requests concurrently`() async throws {
        let (arrived, everybody) = (Counter(), IntPromise())
        let server = try MockServer { _ in
            if arrived.add() == 10 { everybody.succeed(10) }
            // No call gets its answer before all have arrived.
            return (try? everybody.future.wait(for: .seconds(30))) == 10 ? .text("") : .status(.serviceUnavailable)
        }
        let (client, dispatcher, url) = (CurlTransport(), dispatcher(running: 16), server.url)
        let refresh = CallPromise()
        let chains = (0..<10).map { index in
            refresh.future.flatMap { _ in client.future(for: .get(url + "/\(index)"), on: dispatcher) }
        }
        // The refresh is a call of the same dispatcher, and resolves within it.
        let call = dispatcher.future {
            refresh.succeed(1)
            return Result<Int, HTTPError>.success(1)
        }
        for chain in chains { #expect(try await chain.get().status == .ok) }
        #expect(try await call.get() == 1)
        #expect(arrived.value == 10)
    }
}
