import HTTPSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

import HTTPAsync

extension ThreadSignalTests {
    @Test func `every thread of a dispatcher blocks all signals except those of its own instructions`() async throws {
        let server = try MockServer { _ in .text("here") }
        let masks = Locked<[UInt64]>([])
        let dispatcher = Dispatcher.starting(Dispatcher.Configuration()) { body in
            Dispatcher.startThread {
                let mask = Self.blocked()
                masks.withLock { $0.append(mask) }
                body()
                let after = Self.blocked()
                masks.withLock { $0.append(after) }
            }
        }
        // One call is made by the agent's thread, one by a worker, and each callback runs on a thread of the executor.
        let client = CurlTransport()
        for destination in [BodyDestination.memory, .stream { _ in BodySink(write: { _ in }) }] {
            let request = try Request(.get(server.url) |> .destination(destination) |> .timeout(.seconds(5)))
            let callback: UInt64 = await withCheckedContinuation { continuation in
                client.executeRequest(request, callbackQueue: .immediate, on: dispatcher) { _ in
                    continuation.resume(returning: Self.blocked())
                }
            }
            masks.withLock { $0.append(callback) }
        }
        let seen = masks.withLock { $0 }
        #expect(seen.count >= 4)
        for mask in seen {
            #expect(Self.asynchronous.filter { !Self.has(mask, $0) }.isEmpty)
            #expect(Self.synchronous.filter { Self.has(mask, $0) }.isEmpty)
        }
        #expect(server.requestCount == 2)
    }
}
