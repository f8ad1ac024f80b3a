import HTTPCore

// A service's policy in one place, its calls in one switch, a call on one line.

struct Order: Decodable {
    let id: String
}

struct Shop: RequestGenerator {
    let baseURL = "https://shop.example.com/v2"
    let token: String
    var defaults: RequestStep { .bearer(token) |> .header("Accept-Language", "en") }
}

enum Orders: ServiceEndpoint {
    case list(page: Int)
    case cancel(id: String)

    var generator: Shop { Shop(token: "t") }

    func request(from shop: Shop) -> MutableRequest {
        switch self {
        case .list(let page): shop.get("orders") |> .query("page", page)
        case .cancel(let id): shop.delete("orders/\(id)")
        }
    }
}

func list(client: any HTTPClient) -> Result<[Order], HTTPError> {
    client.execute(Orders.list(page: 1), as: [Order].self)
}

func prepare() throws(HTTPError) -> Request {
    try Request(endpoint: Orders.cancel(id: "7"))
}
