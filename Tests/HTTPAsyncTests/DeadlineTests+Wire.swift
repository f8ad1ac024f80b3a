import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import HTTPTransfers
import TestSupport
import Testing

import HTTPAsync

extension DeadlineTests {
    private static let line = String(repeating: "a", count: 997)

    @Test func `the timeout of a stream that takes a thread ends it while its reader takes its time`() async throws {
        try await checkSlowReader(of: .jsonLines(of: String.self), line: Self.line)
    }

    @Test func `the timeout ends lines that take a thread, too, because of a closure of the caller's`() async throws {
        try await checkSlowReader(of: .lines, line: "\"\(Self.line)\"", .downloadProgress { _ in })
    }

    private func checkSlowReader(
        of format: StreamFormat<String>, line: String, _ step: RequestStep = .none
    ) async throws {
        let server = try MockServer { _ in .text(String(repeating: "\"\(Self.line)\"\n", count: 20_000)) }
        let dispatcher = Dispatcher.limited(to: 1)
        let request = MutableRequest.get(server.url) |> .timeout(.seconds(1)) |> step
        var iterator = CurlTransport().stream(request, as: format, buffering: 1, on: dispatcher).makeAsyncIterator()
        #expect(try await iterator.next() == line)
        // The connection and the slot are free, though the iterator is kept.
        try await server.wait(for: .openConnections(atMost: 0))
        #expect(await suspended { dispatcher.calls.running == 0 })
        var held = 0
        let error = await #expect(throws: HTTPError.self) {
            while let next = try await iterator.next() {
                #expect(next == line)
                held += 1
            }
        }
        guard case .timedOut(let failure)? = error else { return unexpected(error as Any) }
        #expect(failure.limit == .total && failure.duration == .seconds(1) && held == 1)
        #expect(server.requestCount == 1)
    }
}
