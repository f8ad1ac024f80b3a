// Awaiting calls: no thread of the concurrency runtime waits for them. Run it with `swift run AsyncAwait`.
import HTTPMockServer
import HTTPCurl
import HTTPAsync

struct User: Decodable, Sendable { let name: String }

let server = try MockServer { request in .json(#"{"name": "user \#(request.path.dropFirst())"}"#) }
let client = CurlTransport()

// One call. Cancelling the task cancels it.
let response = try await client.response(for: .get(server.url("/1")) |> .timeout(.seconds(5)))
print(response)

// Any blocking member of the client, awaited.
let url = server.url("/2")
let user = try await client.perform { $0.execute(.get(url), as: User.self) }
print(user)

// Several at once.
async let third = client.response(for: .get(server.url("/3")))
async let fourth = client.response(for: .get(server.url("/4")))
print(try await third.text(), try await fourth.text())
