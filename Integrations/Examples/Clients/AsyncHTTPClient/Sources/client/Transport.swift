// A transport over AsyncHTTPClient, with what the one for Straightline does: streamed bodies both ways.
import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import OpenAPIRuntime

func makeTransport() -> any ClientTransport { AsyncHTTPClientTransport(client: .shared) }

struct AsyncHTTPClientTransport: ClientTransport {
    let client: HTTPClient

    func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        var base = baseURL.absoluteString
        if base.hasSuffix("/") { base.removeLast() }
        var sent = HTTPClientRequest(url: base + (request.path ?? ""))
        sent.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields { sent.headers.add(name: field.name.rawName, value: field.value) }
        if let body {
            let length: HTTPClientRequest.Body.Length =
                if case .known(let count) = body.length { .known(count) } else { .unknown }
            sent.body = .stream(body.map { ByteBuffer(bytes: $0) }, length: length)
        }
        let response = try await client.execute(sent, timeout: .seconds(60))
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        let bytes = HTTPBody(response.body.map { $0.readableBytesView }, length: .unknown, iterationBehavior: .single)
        return (
            HTTPResponse(status: .init(code: Int(response.status.code)), headerFields: fields),
            request.method == .head ? nil : bytes
        )
    }
}
