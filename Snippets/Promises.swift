// A chain of futures, a timeout, and a promise. Run it with `swift run Promises`.
import HTTPMockServer
import Straightline

struct User: Decodable, Sendable { let name: String }

let server = try MockServer { request in
    request.path == "/slow" ? .text("late").taking(.seconds(30)) : .json(text: #"{"name": "Ada"}"#)
}
let client = CurlTransport()
let base = server.url

// Successive steps with one deadline for all of them.
let greeting = client.future(for: .get(base + "/first"))
    .deadline(.seconds(30))
    .flatMap { _ in client.future(for: .get(base + "/second")) }
    .map { response throws(HTTPError) in try response.validated().decoded(as: User.self) }
    .map { user in "hello \(user.name)" }
    .recover { "nobody answered: \($0)" }
print(await greeting.get())

// A limit for one step; its call is cancelled.
let late = client.future(for: .get(base + "/slow")).timeout(.milliseconds(100))
do { _ = try await late.get() } catch { print(error) }

// Two at once.
let both = Future.zip(client.future(for: .get(base + "/a")), client.future(for: .get(base + "/b")))
let (one, other) = try await both.get()
print(one.status, other.status)

// A promise is the writing end. A promise that is released unresolved fails its future, with this line in the error.
let promise = Promise<Int, HTTPError>()
promise.succeed(42)
print(try await promise.future.get())
