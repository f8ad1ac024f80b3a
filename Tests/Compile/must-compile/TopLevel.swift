// top level
// also: -swift-version 5
// also: -swift-version 6 -enable-upcoming-feature NonisolatedNonsendingByDefault
// also: -swift-version 6 -default-isolation MainActor
import Straightline

// At the top level of main.swift the compiler prefers the blocking form, whose use it then refuses: `on:` selects the
// awaited one, and so does a function.

let client = CurlTransport()
let response = try await client.send(.get("https://api.example.com"), on: .shared)
let names = try await client.execute(.get("https://api.example.com"), as: [String].self, on: .shared)
print(response.status, names)

func main() async throws {
    print(try await client.send(.get("https://api.example.com")).status)
}
try await main()
