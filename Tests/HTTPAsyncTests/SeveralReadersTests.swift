import HTTPObservability
import HTTPTransfers
import HTTPSupport
import HTTPTesting
import Testing

import HTTPAsync
import HTTPCore

/// Several tasks that read one streamed response.
@Suite(.timeLimit(.minutes(5))) struct SeveralReadersTests {
    @Test func `a reader that is cancelled does not end another`() async throws {
        let client = HeldStream()
        let response = try await client.stream(.get("http://a.example/") |> .timeout(nil), as: .lines, buffering: 1)
            .response()
        let (waits, seen) = (Event(), Locked<[String]>([]))
        let readers = (0..<2).map { _ in
            Task {
                var iterator = response.makeAsyncIterator()
                waits.signal()
                while let line = try await iterator.next() { seen.withLock { $0.append(line) } }
            }
        }
        await waits.happened(2)
        readers[0].cancel()
        guard case .failure(let error as HTTPError) = await readers[0].result, case .cancelled = error else {
            client.gate.signal()
            Issue.record("\(await readers[0].result)")
            return
        }
        client.gate.signal()
        try await readers[1].value
        #expect(seen.withLock { $0 } == ["1", "2", "3"])
        #expect(client.wasCancelled.withLock { $0 } == [false])
    }

    @Test func `the last of the readers that are cancelled ends the call`() async throws {
        let client = HeldStream()
        let response = try await client.stream(.get("http://a.example/") |> .timeout(nil), as: .lines, buffering: 1)
            .response()
        let waits = Event()
        let readers = (0..<2).map { _ in
            Task {
                var iterator = response.makeAsyncIterator()
                waits.signal()
                let item = try? await iterator.next()
                // Neither lets go of it before the call has ended.
                await client.ended.happened()
                withExtendedLifetime(iterator) {}
                return item
            }
        }
        await waits.happened(2)
        for reader in readers { reader.cancel() }
        // Nothing but the cancellation opens the gate in time.
        let isCancelled = await suspended(atMost: .seconds(10)) { client.gate.count > 0 }
        if !isCancelled { client.gate.signal() }
        for reader in readers { #expect(await reader.value == nil) }
        #expect(client.wasCancelled.withLock { $0 } == [true])
        withExtendedLifetime(response) {}
    }

    @Test func `the only reader that is cancelled ends the call, though the response is kept`() async throws {
        let client = HeldStream()
        let finished = Event()
        let response = try await client.intercepted(
            by: .observing { event in
                if case .finished = event { finished.signal() }
            }
        ).stream(.get("http://a.example/") |> .timeout(nil), as: .lines, buffering: 1).response()
        let waits = Event()
        let reader = Task {
            var iterator = response.makeAsyncIterator()
            waits.signal()
            while try await iterator.next() != nil {}
        }
        await waits.happened()
        reader.cancel()
        guard case .failure(HTTPError.cancelled) = await reader.result else {
            client.gate.signal()
            Issue.record("\(await reader.result)")
            return
        }
        // Nothing but the cancellation opens the gate.
        await finished.happened()
        await client.ended.happened()
        #expect(client.wasCancelled.withLock { $0 } == [true])
        withExtendedLifetime(response) {}
    }
}

/// Sends its head at once, and its body once the gate is open, or the call is cancelled.
private struct HeldStream: HTTPClient {
    let gate = Event()
    let ended = Event()
    let wasCancelled = Locked<[Bool]>([])

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let response = Response(request: request, status: .ok)
        guard case .stream(let factory) = request.destination.kind else { return .success(response) }
        do {
            let sink = try factory.value(ResponseStart(response))
            let registration = CancellationToken.current?.onCancel { gate.signal() }
            gate.block()
            registration?.remove()
            wasCancelled.withLock { $0.append(CancellationToken.current?.isCancelled ?? false) }
            ended.signal()
            for line in ["1\n", "2\n", "3\n"] {
                try Array(line.utf8).withUnsafeBytes { try sink.write($0) }
            }
            try sink.finish()
        } catch {
            return .failure(.cancelled(CallRecord(request)))
        }
        return .success(response)
    }
}
