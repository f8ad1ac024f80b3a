// expect: instance method 'executeRequest' is unavailable from asynchronous contexts; await send(_:) of HTTPAsync
// expect: instance method 'send' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
// expect: instance method 'execute' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
// expect: instance method 'get' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
import HTTPCore

// A blocked thread of the concurrency runtime delays every other task: the compiler must refuse.

func call(_ request: Request, on client: any HTTPClient) async throws {
    _ = client.executeRequest(request)
    _ = try client.send(request)
    _ = try client.execute(.get("https://api.example.com"), as: String.self)
    _ = try client.get("https://api.example.com")
}
