import Foundation
import HTTPMockServer
import HTTPTesting
import HTTPURLSession
import HTTPXML
import Straightline

// The prelude of every block: values that it uses, and servers that answer. A block that makes a transport gets a stub,
// so that pages can show real addresses and their code still runs.

struct Issue: Codable, Sendable, Equatable {
    var id = 1
    var title = "Sea"
}

struct User: Codable, Sendable { var name: String }
struct Login: Codable, Sendable { var token: String }
struct Credentials: Codable, Sendable { var user = "ada" }
struct Order: Codable, Sendable, Equatable { var id: Int }
struct Row: Codable, Sendable { var n: Int }

let events = "data: one\n\ndata: [DONE]\n\n"
let stub = StubClient()
    .on(.get, "https://api.example.com/events", answer: .data(Data(events.utf8), contentType: "text/event-stream"))
    .on(.post, "https://api.example.com/events", answer: .data(Data(events.utf8), contentType: "text/event-stream"))
    .on(.get, "https://api.example.com/rows", answer: .text("{\"n\":1}\n{\"n\":2}\n"))
    .on(.get, "https://api.example.com/issues", answer: .json([Issue()]))
    .on(.get, "https://api.example.com/issues/{id}", answer: .json(Issue()))
    .on(.post, "https://api.example.com/issues", answer: .json(Issue(), status: .created))
    .on(.post, "https://api.example.com/login", answer: .json(Login(token: "t-1")))
    .on(.post, "https://api.example.com/token", answer: .json(["access_token": "t-2", "refresh_token": "r-2"]))
    .on(.get, "https://api.example.com/profile", answer: .json(User(name: "Ada")))
    .on(.get, "https://api.example.com/missing", answer: .status(.notFound))
    .on(.get, "https://shop.example.com/v2/orders") { call in
        .json(call.query("page") == "3" ? [] : [Order(id: 1), Order(id: 2)])
    }
    .on("**", answer: .json(text: "{}"))

/// The transports of the pages: each is the stub. They throw where the real ones do, so that a block needs the same `try`.
func CurlTransport() -> StubClient { stub }
func CurlTransport(_ configuration: CurlConfiguration) throws(HTTPError) -> StubClient { stub }
func URLSessionTransport() -> StubClient { stub }

let client: any HTTPClient = stub
let base = "https://api.example.com"
let url = "https://api.example.com/issues/1"
// swift-format-ignore: NeverUseForceTry
let request = try! Request(.get(url))
let requests = [request, request]
let urls = [url, url]
let issue = Issue()
let credentials = Credentials()
let token = "t-1"

struct Shop: RequestGenerator {
    var baseURL = "https://shop.example.com/v2"
    var tokens = BearerTokens("t-1")
}

extension Endpoint where Generator == Shop {
    static func orders(page: Int = 1) -> Self where Value == [Order] { .get("orders") |> .query("page", page) }
}

let shop = stub.service(Shop())

func show(_ values: Any...) {}
func refresh(_ old: String?) async throws -> String { "t-2" }
