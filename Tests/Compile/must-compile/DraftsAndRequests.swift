import Foundation
import Straightline

// Each verb takes a draft, a finished request, or a type of one's own that becomes one.

struct Search: RequestConvertible {
    let text: String
    func asDraft() -> MutableRequest { .get("https://h.example/search") |> .query("q", text) }
}

struct Row: Decodable, Sendable {}

func blocking(_ client: CurlTransport, _ request: some RequestConvertible) throws(HTTPError) {
    try client.send(request)
    let row = try client.execute(request, as: Row.self)
    let results = client.executeRequests([request, request])
    client.executeRequests([request], maxConcurrent: 2) { index, result in print(index, result) }
    try client.stream(request, as: .lines) { line in print(line) }
    print(row, results, client.pages(of: request, as: Row.self))
}

func awaited(_ client: any HTTPClient, _ request: some RequestConvertible) async throws(HTTPError) {
    try await client.send(request)
    let row = try await client.execute(request, as: Row.self)
    for try await line in client.stream(request, as: .lines) { print(line) }
    client.executeRequest(request, callbackQueue: .immediate) { result in print(result) }
    client.execute(request, as: Row.self, callbackQueue: .immediate) { row in print(row) }
    print(row, client.future(for: request), client.future(for: request, as: Row.self))
}

func all(_ client: CurlTransport, _ finished: Request) async throws {
    try await awaited(client, .get("https://h.example") |> .header("A", "b"))
    try await awaited(client, finished)
    try await awaited(client, Search(text: "sea"))
    let run = { (request: any RequestConvertible) throws(HTTPError) in try blocking(client, request) }
    print(run)
}

func drafts(_ client: CurlTransport, _ urls: [URL]) throws {
    _ = client.executeRequests(urls.map { .get($0) })
    _ = client.executeRequests([.get("https://h.example/a"), .head("https://h.example/b") |> .bearer("t")])
    _ = client.executeRequests(try urls.map { try Request(.get($0)) })
    try client.send(.post("https://h.example") |> .json(["name": "Ann", "tags": ["a", "b"], "age": 7]))
    let draft: MutableRequest = .get("https://h.example") |> .query("page", 2)
    try client.send(draft)
}

// A format of one's own is read by the same verb.
extension StreamFormat where Element == [String] {
    static var csv: StreamFormat {
        StreamFormat { take in .lines { line in try take(line.split(separator: ",").map(String.init)) } }
    }
}

func formats(_ client: CurlTransport) async throws {
    for try await row in client.stream(.get("https://h.example/rows.csv"), as: .csv) { print(row.count) }
    for try await row in client.stream(.get("https://h.example"), as: .jsonLines(of: Row.self)) { print(row) }
    let rows: ResponseElements<Row> = client.stream(.get("https://h.example"), as: .jsonLines())
    for try await event in client.stream(.get("https://h.example"), as: .serverSentEvents) { print(event.data) }
    for try await bytes in client.stream(.get("https://h.example"), as: .chunks) { print(bytes.count) }
    for try await line in client.stream(.get("https://h.example"), as: .lines(limit: 100), buffering: 2) { print(line) }
    print(rows)
}
