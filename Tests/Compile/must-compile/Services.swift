import Straightline

// The call sites of services in the design: a call in every style, one line each, without naming a type.

struct VideoCategory: Codable, Sendable { let id: Int }

struct Videos: EnumeratedGenerator {
    typealias Calls = VideoEndpoint
    let baseURL: String
}

extension Endpoint where Generator == Videos {
    static var categories: Endpoint<Videos, [VideoCategory]> { .get("categories") }
    static func search(_ text: String, page: Int) -> Self where Value == [VideoCategory] {
        .get("categories") |> .query("q", text) |> .query("page", page)
    }
}

enum VideoEndpoint: ServiceEndpoint {
    case all

    func request(from videos: Videos) -> MutableRequest {
        switch self {
        case .all: videos.get("categories")
        }
    }
}

func blocking(client: CurlTransport, url: String) throws(HTTPError) -> Int {
    let videos = client.service(Videos(baseURL: url))
    let all = try videos.call(.categories)
    return all.count
}

func awaiting(_ videos: Service<Videos>) async throws(HTTPError) -> Int {
    let all = try await videos.call(.categories)
    return all.count
}

func callback(_ videos: Service<Videos>, _ show: @escaping @Sendable ([VideoCategory]) -> Void) {
    videos.call(.categories, callbackQueue: .main) { result in if case .success(let all) = result { show(all) } }
}

func future(_ videos: Service<Videos>) -> Future<[VideoCategory], HTTPError> {
    let page = videos.future(for: .search("sea", page: 2))
    return page
}

func cases(_ videos: Service<Videos>) throws(HTTPError) -> [VideoCategory] {
    try videos.call(VideoEndpoint.all, as: [VideoCategory].self)
}

// All styles, in a synchronous and an asynchronous function.

func all(_ videos: Service<Videos>) async throws(HTTPError) {
    let awaited = try await videos.call(.categories)
    videos.call(.categories, callbackQueue: .main) { result in print(result, awaited.count) }
    let page = videos.future(for: .search("sea", page: 2))
    _ = try await page.get()
}

func noneAwaited(_ videos: Service<Videos>) throws(HTTPError) {
    let all = try videos.call(.categories)
    videos.call(.categories, callbackQueue: .main) { result in print(result, all.count) }
    _ = try videos.future(for: .search("sea", page: 2)).wait()
}
