// top level
// also: -swift-version 5
// also: -swift-version 6 -enable-upcoming-feature NonisolatedNonsendingByDefault
// also: -swift-version 6 -default-isolation MainActor
import Straightline

// At the top level of main.swift the compiler prefers the blocking form, whose use it then refuses: `on:` selects the
// awaited one, and so does a function.

nonisolated struct Files: RequestGenerator { let baseURL: String }

let client = CurlTransport()
let response = try await client.send(.get("https://api.example.com"), on: .shared)
let names = try await client.execute(.get("https://api.example.com"), as: [String].self, on: .shared)
print(response.status, names)
let page = try await client.get("https://api.example.com", .query("page", 2), on: .shared).json()
try await client.download(.get("https://api.example.com"), to: "image.iso", on: .shared)
let files = client.service(Files(baseURL: "https://files.example"))
let file = try await files.call(.get("7"), as: String.self, on: .shared)
let (text, answer) = try await files.callWithResponse(.get("7"), as: String.self, on: .shared)
print(page, file, text, answer)

// What has no blocking form of the same shape is awaited as anywhere.
for try await line in client.stream(.get("https://api.example.com"), as: .lines) { print(line) }
for try await page in client.pages(of: .get("https://api.example.com"), as: [String].self) { print(page) }
for await file in client.downloads(of: [DownloadRequest(.get("https://api.example.com"), to: "image.iso")]) {
    print(file.index)
}
print(try await client.future(for: .get("https://api.example.com"), as: [String].self).get())
print(try await Dispatcher.shared.run { client.executeRequest(.get("https://api.example.com")) })

func main() async throws {
    print(try await client.send(.get("https://api.example.com")).status)
}
try await main()
