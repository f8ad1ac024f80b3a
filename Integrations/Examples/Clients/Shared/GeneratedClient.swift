// What Swift OpenAPI Generator writes for a document with one operation, by hand and shortened: the client builds the request of
// the operation, and a transport sends it. It knows no HTTP client.
import Foundation
import HTTPTypes
import OpenAPIRuntime

enum Components {
    struct Greeting: Codable, Sendable { let message: String }
}

enum Operations {
    enum GetGreeting {
        static let id = "getGreeting"

        enum Output: Sendable {
            case ok(Components.Greeting)
            case undocumented(statusCode: Int)
        }
    }
}

struct Client: Sendable {
    let serverURL: URL
    let transport: any ClientTransport

    /// `GET /greet?name=…`
    func getGreeting(name: String) async throws -> Operations.GetGreeting.Output {
        let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
        let request = HTTPRequest(
            method: .get, scheme: nil, authority: nil, path: "/greet?name=\(escaped)",
            headerFields: [.accept: "application/json"])
        let (response, body) = try await transport.send(
            request, body: nil, baseURL: serverURL, operationID: Operations.GetGreeting.id)
        guard response.status == .ok, let body else { return .undocumented(statusCode: response.status.code) }
        let data = try await Data(collecting: body, upTo: 1 << 20)
        return .ok(try JSONDecoder().decode(Components.Greeting.self, from: data))
    }
}
