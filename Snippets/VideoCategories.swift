// Three services from the same blocks: run it with `swift run VideoCategories`.
//
//     videos      JSON and basic credentials, a line for each call
//     payments    basic credentials, a client certificate, and pins for the server's keys
//     weather     any format that the server sends: JSON, a property list or XML
//
// It talks to a small server of its own (StudioServer below) on this machine.
import Foundation
import HTTPMockServer
import HTTPXML
import Straightline

// MARK: - Videos

/// The common properties of all calls to the video service.
struct Videos: EnumeratedGenerator {
    typealias Calls = VideoEndpoint

    var baseURL = "https://videos.example.com/v1"
    var account: (user: String, password: String)?

    var defaults: RequestStep {
        .accept("application/json") |> .ifLet(account) { .basic(user: $0.user, password: $0.password) }
    }
}

/// Its calls, one line each.
enum VideoEndpoint: ServiceEndpoint {
    case categories, category(id: Int), search(String, page: Int = 1)
    case upload(file: String, title: String), delete(id: Int)

    func request(from videos: Videos) -> MutableRequest {
        switch self {
        case .categories: videos.get("categories")
        case .category(let id): videos.get("categories/\(id)")
        case .search(let text, let page): videos.get("videos") |> .query("q", text) |> .query("page", page)
        case .upload(let file, let title):
            videos.post("videos") |> .multipart(.text("title", title), .file("video", file, contentType: "video/mp4"))
        case .delete(let id): videos.delete("videos/\(id)")
        }
    }
}

struct VideoCategory: Decodable, Equatable {
    let id: Int
    let name: String
}

struct Video: Decodable, Equatable {
    let id: Int
    let title: String
}

struct VideoPage: Decodable {
    let videos: [Video]
    let nextPage: Int?
}

/// Every matching video, page after page.
func allVideos(_ text: String, from videos: Service<Videos>) -> PageElements<VideoPage, [Video]> {
    videos.pages(of: .search(text), next: .cursor("page") { $0.nextPage.map(String.init) })
        .elements(\.videos)
}

// MARK: - Payments

/// The same for payments. This service authenticates the app by a password and a certificate, and the app pins the
/// service: its host must have the current key or the next one, here the examples of RFC 7469.
struct Payments: RequestGenerator {
    var baseURL = "https://payments.example.com/v1"
    var account: (user: String, password: String)?
    /// Certificate and pins belong to connections: they are used in each handshake, also after a redirect.
    var tls = TLSConfiguration(pins: ["payments.example.com": keys])

    static let keys: [PublicKeyPin] = [
        "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=", "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g=",
    ]

    var defaults: RequestStep {
        .accept("application/json") |> .timeout(.seconds(20))
            |> .ifLet(account) { .basic(user: $0.user, password: $0.password) }
    }
}

extension Endpoint where Generator == Payments {
    /// The order is the idempotency key: a charge that is sent twice is made once.
    static func charge(cents: Int, order: String) -> Self where Value == Receipt {
        .post("charges") |> .json(["cents": cents]) |> .idempotencyKey(order)
    }
    static func receipt(id: String) -> Self where Value == Receipt { .get("receipts/\(id)") }
}

struct Receipt: Decodable, Equatable {
    let id: String
    let cents: Int
}

// MARK: - Weather

/// The same for a service that chooses the format: the first decoder that accepts its Content-Type is used.
struct Weather: RequestGenerator {
    var baseURL = "https://weather.example.com"
    let decoders: [any BodyDecoder] = [JSONBodyDecoder(), PropertyListBodyDecoder(), XMLBodyDecoder()]
    var defaults: RequestStep { .accept("application/xml", "application/x-plist;q=0.9", "application/json;q=0.8") }
}

extension Endpoint where Generator == Weather {
    static func forecast(city: String) -> Self where Value == Forecast { .get("forecast/\(city)") }
}

struct Forecast: Decodable, Equatable {
    let city: String
    let celsius: Double
}

// MARK: - The tour

#if !SNIPPET_TESTS
@main
#endif
enum VideoCategories {
    static func main() throws {
        let server = try MockServer(handler: StudioServer.answer)
        let client = CurlTransport().intercepted(by: .log { print($0) })
        try showVideos(Videos(baseURL: server.url("/film"), account: ("editor", "påssword")), over: client)
        // This server uses plain http: no certificate is sent and no key is checked.
        var payments = Payments(baseURL: server.url("/bank"), account: ("till", "7"))
        payments.tls.clientCertificates = [
            ClientCertificate(.pkcs12(Data("from the keychain".utf8)), hosts: ["payments.example.com"])
        ]
        try showPayments(payments)
        try showWeather(client.service(Weather(baseURL: server.url("/sky"))))
        server.stop()
    }

    static func showVideos(_ generator: Videos, over client: any HTTPClient) throws {
        let videos = client.service(generator)
        let categories = try videos.call(.categories, as: [VideoCategory].self)
        let first = try videos.call(.category(id: 1) |> .timeout(.seconds(5)), as: VideoCategory.self)
        print("  \(categories.count) categories, the first is \(first.name)")

        let found = try allVideos("R&B", from: videos).blocking.map { try $0.get() }
        print("  found \(found.map(\.title).joined(separator: ", "))")

        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mp4")
        try Data(count: 1 << 20).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let video = try videos.call(.upload(file: file.path, title: "Tide"), as: Video.self)
        try videos.call(.delete(id: video.id))
        print("  \(video.title) came as number \(video.id) and went")

        let anonymous = client.service(Videos(baseURL: generator.baseURL))
        do { try anonymous.call(.categories) } catch { print("  ✗ \(error)") }
    }

    static func showPayments(_ payments: Payments) throws {
        let client = try CurlTransport(CurlConfiguration(tls: payments.tls)).intercepted(by: .log { print($0) })
        let receipt = try client.service(payments).call(.charge(cents: 1250, order: "order-7"))
        print("  paid \(receipt.cents) cents, receipt \(receipt.id)")
        for (host, keys) in payments.tls.pins { print("  over TLS \(host) must have one of \(keys.count) keys") }
        print("  and is shown the \(payments.tls.clientCertificates.first, default: "nothing")")
    }

    static func showWeather(_ weather: Service<Weather>) throws {
        for city in ["Bergen", "Lima", "Osaka"] {
            let result = try weather.call(.forecast(city: city))
            print("  \(result.city): \(result.celsius) °C")
        }
    }
}

/// The server of the tour: all three services.
enum StudioServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        if request.path.hasPrefix("/film"), request.headers["Authorization"] != editor {
            return .json(text: #"{"message": "who are you?"}"#, status: .unauthorized)
        }
        return answers["\(request.method) \(request.target)"] ?? .status(.notFound)
    }

    private static let editor = "Basic " + Data("editor:påssword".utf8).base64EncodedString()

    private static let answers: [String: MockResponse] = [
        "GET /film/categories": .json(text: #"[{"id": 1, "name": "Nature"}, {"id": 2, "name": "Music"}]"#),
        "GET /film/categories/1": .json(text: #"{"id": 1, "name": "Nature"}"#),
        "GET /film/videos?q=R%26B&page=1": .json(text: #"{"videos": [{"id": 11, "title": "Surf"}], "nextPage": 2}"#),
        "GET /film/videos?q=R%26B&page=2": .json(text: #"{"videos": [{"id": 12, "title": "Clouds"}]}"#),
        "POST /film/videos": .json(text: #"{"id": 13, "title": "Tide"}"#, status: .created),
        "DELETE /film/videos/13": .status(.noContent),
        "POST /bank/charges": .json(text: #"{"id": "r-1", "cents": 1250}"#, status: .created),
        "GET /sky/forecast/Osaka": .json(text: #"{"city": "Osaka", "celsius": 23.5}"#),
        "GET /sky/forecast/Bergen": .data(
            Array("<forecast><city>Bergen</city><celsius>7.5</celsius></forecast>".utf8), contentType: "application/xml"
        ),
        "GET /sky/forecast/Lima": .data(lima.utf8, contentType: "application/x-plist"),
    ]

    private static let lima =
        "<plist><dict><key>city</key><string>Lima</string><key>celsius</key><real>19</real></dict></plist>"
}
