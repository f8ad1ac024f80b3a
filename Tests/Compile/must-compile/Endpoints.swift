import Straightline

// A service's policy in one place, one line for each call, and one line to make it in every style.

struct Category: Codable, Sendable {
    let id: Int
}

struct Videos: EnumeratedGenerator {
    typealias Calls = VideoEndpoint

    let baseURL = "https://videos.example.com/v2"
    let tokens: BearerTokens
    var tenant = "t-1"
    let json = JSONCoding(keys: .snakeCase)
    var defaults: RequestStep { .accept("application/json") |> .header("Accept-Language", "en") }
    var interceptors: [Interceptor] { [.retry(), .bearer(tokens)] }
}

// Values that know their type, all in one extension.
extension Endpoint where Generator == Videos {
    static var categories: Endpoint<Videos, [Category]> { .get("categories") }
    static func search(_ text: String, page: Int) -> Self where Value == [Category] {
        .get("categories") |> .query("q", text) |> .query("page", page)
    }
    static func delete(_ id: Int) -> Self where Value == Void { .delete("categories/\(id)") }
    static func tenants(_ id: Int) -> Self where Value == [Category] { Endpoint { $0.get("\($0.tenant)/\(id)") } }
    static var clear: Endpoint<Videos, Void> {
        .init { videos in videos.delete("\(videos.tenant)") |> .query("all", true) }
    }
    static var newest: Endpoint<Videos, Category?> { VideoEndpoint.latest.returning() |> .header("X-A", "1") }
}

// The cases of an enum.
enum VideoEndpoint: ServiceEndpoint {
    case all, latest
    case remove(Int)

    func request(from videos: Videos) -> MutableRequest {
        switch self {
        case .all: videos.get("categories")
        case .latest: videos.get("categories/latest")
        case .remove(let id): videos.delete("categories/\(id)")
        }
    }
}

func service(over client: any HTTPClient) -> Service<Videos> { client.service(Videos(tokens: BearerTokens())) }

func blocking(_ videos: Service<Videos>) throws(HTTPError) {
    let all = try videos.call(.categories)
    let same = try videos.call(.all, as: [Category].self)
    let found: [Category] = try videos.call(.all)
    let soon: [Category] = try videos.call(.all |> .timeout(.seconds(5)) |> .query("page", 2))
    try videos.call(.delete(all.count + same.count + found.count + soon.count))
    try videos.call(.remove(7))
    try videos.call(.remove(7) |> .timeout(.seconds(5)) |> .header("X-A", "1"))
    print(try videos.call(.newest |> .timeout(.seconds(5)))?.id ?? 0)
    print(try videos.call(.get("categories") |> .query("page", 2), as: [Category].self).count)
    let (value, response) = try videos.callWithResponse(.all, as: [Category].self)
    let both: (value: [Category], response: Response) = try videos.callWithResponse(.all |> .timeout(.seconds(5)))
    print(value, response, both, try videos.callWithResponse(.get("categories"), as: [Category].self).response.status)
}

func awaiting(_ videos: Service<Videos>) async throws(HTTPError) {
    let all = try await videos.call(.categories)
    let same = try await videos.call(.all, as: [Category].self)
    let found: [Category] = try await videos.call(.all)
    let soon: [Category] = try await videos.call(.all |> .timeout(.seconds(5)) |> .query("page", 2))
    try await videos.call(.delete(all.count + same.count + found.count + soon.count))
    try await videos.call(.remove(7))
    try await videos.call(.remove(7) |> .timeout(.seconds(5)) |> .header("X-A", "1"))
    print(try await videos.call(.newest |> .timeout(.seconds(5)))?.id ?? 0)
    print(try await videos.call(.get("categories") |> .query("page", 2), as: [Category].self).count)
    let (value, response) = try await videos.callWithResponse(.all, as: [Category].self)
    let both: (value: [Category], response: Response) = try await videos.callWithResponse(.all |> .timeout(.seconds(5)))
    print(value, response, both)
    print(try await videos.callWithResponse(.get("categories"), as: [Category].self).response.status)
}

func withCallbacks(_ videos: Service<Videos>) {
    videos.call(.categories, callbackQueue: .main) { result in print((try? result.get().count) ?? 0) }
    videos.call(.all, as: [Category].self, priority: .low, callbackQueue: .main) { result in print(result) }
    videos.call(.all |> .timeout(.seconds(5)), as: [Category].self, callbackQueue: .main) { result in print(result) }
    videos.detached.call(.remove(7), callbackQueue: .immediate) { result in print(result) }
}

func withFutures(_ videos: Service<Videos>) -> Future<Int, HTTPError> {
    videos.future(for: .search("sea", page: 2)).flatMap { _ in videos.future(for: .all, as: [Category].self) }
        .flatMap { _ in videos.future(for: .all |> .timeout(.seconds(5)), as: [Category].self) }
        .map(\.count)
}

func prepare() throws(HTTPError) -> Request {
    try Request(endpoint: VideoEndpoint.remove(7), from: Videos(tokens: BearerTokens()))
}

func response(_ videos: Service<Videos>) async throws(HTTPError) -> Response {
    let draft = videos.request(.categories)
    return try await videos.client.send(videos.request(.remove(7) |> .timeout(.seconds(5)))).status == .ok
        ? videos.client.send(videos.request(.all)) : videos.client.send(draft)
}

// A generator without an enum takes the cases of any, with the type of the answer.

struct Shop: StandaloneGenerator { let baseURL = "https://shop.example.com" }

enum Orders: ServiceEndpoint {
    case count, clear

    func request(from shop: Shop) -> MutableRequest {
        switch self {
        case .count: shop.get("orders/count")
        case .clear: shop.delete("orders")
        }
    }
}

func cases(_ shop: Service<Shop>) async throws(HTTPError) -> Request {
    let count = try await shop.call(Orders.count.returning(Int.self) |> .query("n", 1))
    try await shop.call(Orders.clear.returning(Void.self))
    print(count)
    return try Request(endpoint: Orders.count)
}

func inOneLine(_ client: any HTTPClient, _ request: Request) async throws(HTTPError) -> Category {
    try await client.send(request).validated().decoded(as: Category.self)
}
