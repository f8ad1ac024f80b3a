// expect: instance method 'wait' is unavailable from asynchronous contexts; await get()
// expect: instance method 'wait' is unavailable from asynchronous contexts; await get() of timeout(_:)
// expect: property 'blocking' is unavailable from asynchronous contexts; iterate by for try await
// expect: instance method 'next' is unavailable from asynchronous contexts; iterate by for try await
import HTTPAsync
import HTTPCore
import HTTPFutures

func wait(_ future: Future<Int, HTTPError>, _ client: any HTTPClient) async throws {
    _ = try future.wait()
    _ = try future.wait(for: .seconds(1))
    _ = client.stream(.get("https://h.example"), as: .lines).blocking
}

func iterate(_ lines: inout ResponseElements<String>.Blocking.Iterator) async { _ = lines.next() }
