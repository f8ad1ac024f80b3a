import HTTPAsync
import HTTPCore
import HTTPFutures

// A service's policy in one place, one line for each call, and one line to make it in every style.

struct Category: Codable, Sendable {
    let id: Int
}

struct Videos: RequestGenerator {
    let baseURL = "https://videos.example.com/v2"
    let tokens: BearerTokens
    let json = JSONCoding(keys: .snakeCase)
    var defaults: RequestStep { .accept("application/json") |> .header("Accept-Language", "en") }
    var interceptors: [Interceptor] { [.retry(), .bearer(tokens)] }
}

extension Endpoint where Generator == Videos, Value == [Category] {
    static var categories: Self { .get("categories") }
    static func search(_ text: String, page: Int) -> Self {
        .get("categories") |> .query("q", text) |> .query("page", page)
    }
}

extension Endpoint where Generator == Videos, Value == Void {
    static func delete(_ id: Int) -> Self { .delete("categories/\(id)") }
}

enum VideoEndpoint: ServiceEndpoint {
    case all
    case delete(Int)

    func request(from videos: Videos) -> MutableRequest {
        switch self {
        case .all: videos.get("categories")
        case .delete(let id): videos.delete("categories/\(id)")
        }
    }
}

func service(over client: any HTTPClient) -> Service<Videos> { client.service(Videos(tokens: BearerTokens())) }

func blocking(_ videos: Service<Videos>) throws {
    let all = try videos.call(.categories)
    let same = try videos.call(VideoEndpoint.all, as: [Category].self)
    let found: [Category] = try videos.call(VideoEndpoint.all)
    try videos.call(.delete(all.count + same.count + found.count))
    try videos.call(VideoEndpoint.delete(7))
}

func awaiting(_ videos: Service<Videos>) async throws {
    let all = try await videos.call(.categories)
    let same = try await videos.call(VideoEndpoint.all, as: [Category].self)
    let found: [Category] = try await videos.call(VideoEndpoint.all)
    try await videos.call(.delete(all.count + same.count + found.count))
    try await videos.call(VideoEndpoint.delete(7))
}

func withCallbacks(_ videos: Service<Videos>) {
    videos.call(.categories) { result in print((try? result.get().count) ?? 0) }
    videos.call(VideoEndpoint.all, as: [Category].self) { result in print(result) }
    videos.detached.call(VideoEndpoint.delete(7)) { result in print(result) }
}

func withFutures(_ videos: Service<Videos>) -> Future<Int, HTTPError> {
    videos.future(.search("sea", page: 2)).flatMap { _ in videos.future(VideoEndpoint.all, as: [Category].self) }
        .map(\.count)
}

func prepare() throws(HTTPError) -> Request {
    try Request(endpoint: VideoEndpoint.delete(7), from: Videos(tokens: BearerTokens()))
}

func inOneLine(_ client: any HTTPClient, _ request: Request) async throws(HTTPError) -> Category {
    try await client.response(for: request).validated().decoded(as: Category.self)
}
