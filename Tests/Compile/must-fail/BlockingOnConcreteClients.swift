// The static type is usually that of a concrete client, whose own method is called, not the protocol's.
// expect: instance method 'executeRequest' is unavailable from asynchronous contexts; await send(_:) of HTTPAsync
// expect: instance method 'executeRequest' is unavailable from asynchronous contexts; await send(_:) of HTTPAsync
// expect: instance method 'executeRequest' is unavailable from asynchronous contexts; await send(_:) of HTTPAsync
// expect: instance method 'executeRequest' is unavailable from asynchronous contexts; await send(_:) of HTTPAsync
// expect: instance method 'executeRequest' is unavailable from asynchronous contexts; await send(_:) of HTTPAsync
// expect: instance method 'get' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
// expect: instance method 'download' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
// expect: instance method 'download' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
// expect: instance method 'downloadIfNewer' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
// expect: instance method 'stream' is unavailable from asynchronous contexts; import HTTPAsync and iterate by for try await
// expect: property 'blocking' is unavailable from asynchronous contexts; import HTTPAsync and iterate by for try await
// expect: instance method 'call' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
import HTTPArchiving
import HTTPCore
import HTTPCurl
import HTTPTesting
import HTTPTransfers
import HTTPURLSession

struct Notes: RequestGenerator { let baseURL = "https://notes.example" }

func call(
    _ curl: CurlTransport, _ session: URLSessionTransport, _ stub: StubClient, _ replay: ReplayClient,
    _ recording: RecordingClient, _ request: Request
) async throws {
    _ = curl.executeRequest(request)
    _ = session.executeRequest(request)
    _ = stub.executeRequest(request)
    _ = replay.executeRequest(request)
    _ = recording.executeRequest(request)
    _ = try curl.get("https://h.example")
    _ = try curl.download(.get("https://h.example"), to: "a")
    _ = try curl.download(.get("https://h.example"), to: .directory("a"))
    _ = try curl.downloadIfNewer(.get("https://h.example"), to: "a")
    try curl.stream(.get("https://h.example"), as: .serverSentEvents) { _ in }
    _ = curl.pages(of: .get("https://h.example"), as: [Int].self).blocking
    try curl.service(Notes()).call(.delete("1") as Endpoint<Notes, Void>)
}
