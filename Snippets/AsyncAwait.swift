// Awaited calls, which block no thread of the concurrency runtime. Run it with `swift run AsyncAwait`.
import HTTPMockServer
import Straightline

struct User: Decodable, Sendable { let name: String }

// In a function: at the top level of a file the compiler picks the blocking form of a name, and refuses it.
@main
enum AsyncAwait {
    static func main() async throws {
        let server = try MockServer { request in .json(text: #"{"name": "user \#(request.path.dropFirst())"}"#) }
        let client = CurlTransport()

        // One call. Cancelling the task cancels it.
        let response = try await client.get(server.url("/1"), .timeout(.seconds(5)))
        print(response)

        // A call that accepts only a 2xx status, with a decoded body.
        let user = try await client.execute(.get(server.url("/2")), as: User.self)
        print(user)

        // Several at once.
        async let third = client.get(server.url("/3"))
        async let fourth = client.get(server.url("/4"))
        print(try await third.text(), try await fourth.text())

        // Several blocking calls in a row, on one thread outside the runtime.
        let names = try await Dispatcher.shared.run { () throws(HTTPError) in
            try (5...7).map { number throws(HTTPError) in
                try client.execute(.get(server.url("/\(number)")), as: User.self).name
            }
        }
        print(names)

        // On the thread that drives the client's event loop: each call is started and ended there, and none handed over.
        try await withTaskExecutorPreference(client.executor) {
            for number in 8...9 {
                print(try await client.execute(.get(server.url("/\(number)")), as: User.self).name)
            }
        }
    }
}
