// also: -swift-version 6 -Xfrontend -solver-expression-time-threshold=1
import Straightline

// A pipe of many steps is type-checked at once, wherever it stands.

struct Order: Decodable {
    let id: Int
}

enum Orders: ServiceEndpoint {
    case list(page: Int)

    func request(from shop: Shop) -> MutableRequest { shop.get("orders") }
}

struct Shop: EnumeratedGenerator {
    typealias Calls = Orders
    let baseURL: BaseURL = "https://shop.example.com/v2"
}

func longPipe() -> MutableRequest {
    let draft =
        MutableRequest.put("https://api.example.com/orders") |> .header("Accept-Language", "en") |> .query("page", 2)
        |> .timeout(.seconds(3)) |> .bodyLimit(4) |> .redirects(.never) |> .version(.http1) |> .idleTimeout(.seconds(2))
        |> .headerLimit(8) |> .connectTimeout(nil) |> .json(["k": 1]) |> .bearer("token") |> .text("body")
    return draft
}

func longPipeOfACall(_ client: some HTTPClient) throws(HTTPError) -> [Order] {
    let orders = try client.execute(
        .get("https://api.example.com/orders") |> .header("Accept-Language", "en") |> .query("page", 2)
            |> .timeout(.seconds(3)) |> .bodyLimit(4) |> .redirects(.never) |> .version(.http1)
            |> .idleTimeout(.seconds(2)) |> .headerLimit(8) |> .connectTimeout(nil) |> .bearer("token"),
        as: [Order].self)
    return orders
}

func longPipeOfAService(_ shop: Service<Shop>) throws(HTTPError) -> [Order] {
    try shop.call(
        .list(page: 1) |> .header("Accept-Language", "en") |> .query("page", 2) |> .timeout(.seconds(3))
            |> .bodyLimit(4)
            |> .redirects(.never) |> .version(.http1) |> .idleTimeout(.seconds(2)) |> .headerLimit(8))
}
