public import HTTPCore
public import HTTPTypes
public import OpenAPIRuntime
import HTTPAsync
import HTTPTransfers
import HTTPTypesBridge

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The transport of a client that Swift OpenAPI Generator has made, over any client of Straightline.
///
///     let http = CurlTransport().intercepted(by: .retry())
///     let client = Client(serverURL: try Servers.Server1.url(), transport: StraightlineTransport(http))
///
/// A response is delivered with its head, and its body while it arrives: at most 8 pieces wait for a slow reader. The body of
/// a status other than 2xx is read into memory first. The body of a request is sent while its sequence goes on; one of a known
/// length up to 64 KiB is collected first, because a body in memory needs no thread and can be sent again. A client that
/// refuses statuses (`validated`) or changes bodies works as always, because it sees ordinary requests and responses.
///
/// Limits are those of a stream: 10 s until it is connected, 30 s between two bytes, and no limit for the whole unless the
/// client sets one: `.intercepted(by: .applying(.timeout(.seconds(60))))`. Errors are `HTTPError`.
public struct StraightlineTransport: ClientTransport {
    private static let collectedBytes: Int64 = 64 << 10

    /// What makes the calls.
    public let client: any HTTPClient

    /// A transport over `client`, which may have policies around it, or be a stub.
    public init(_ client: any HTTPClient) { self.client = client }

    /// Sends a request of a generated client.
    ///
    /// - Parameters:
    ///   - request: The head; its path is relative to `baseURL`.
    ///   - body: The body; nil for none.
    ///   - baseURL: The URL of the server.
    ///   - operationID: Names the operation in errors of a request that cannot be built.
    /// - Returns: The head of the response, and its body; no body for HEAD.
    /// - Throws: `HTTPError`; what the sequence of the request's body throws is the underlying error of `.body`.
    public func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let draft = try await draft(request, body, baseURL)
        do {
            let response = try await client.stream(draft, as: .chunks).response()
            let length = response.headers["Content-Encoding"] == nil ? response.start.bodyLength : nil
            let bytes = HTTPBody(response, length: Self.length(length), iterationBehavior: .single)
            return (try Self.head(HTTPResponse(response.start), operationID), request.method == .head ? nil : bytes)
        } catch HTTPError.unacceptableStatus(let response) {
            let bytes = HTTPBody(response.body)
            return (try Self.head(HTTPResponse(response), operationID), request.method == .head ? nil : bytes)
        }
    }

    private func draft(_ request: HTTPRequest, _ body: HTTPBody?, _ baseURL: URL) async throws -> MutableRequest {
        // Not resolved: the path of a generated client goes on from that of the server.
        var base = baseURL.absoluteString
        if base.hasSuffix("/") { base.removeLast() }
        var draft = MutableRequest(HTTPMethod(request.method), base + (request.path ?? ""))
        draft.headers = HTTPHeaders(request.headerFields)
        guard let body else { return draft }
        let length: Int64? = if case .known(let length) = body.length { length } else { nil }
        if let length, length <= Self.collectedBytes {
            let record = CallRecord(try Request(draft), phase: .preparing)
            return draft |> .body(.data(try await Self.collect(body, length, record)))
        }
        let isReplayable = body.iterationBehavior == .multiple
        return draft |> .body(.stream(of: body, length: length, contentType: nil, replayable: isReplayable))
    }

    /// The whole body. The sequence of a task that is cancelled may just end, which is no fault of its length.
    private static func collect(
        _ body: HTTPBody, _ length: Int64, _ record: CallRecord
    ) async throws(HTTPError) -> Data {
        var data = Data()
        do {
            for try await piece in body {
                data += piece
                if data.count > length { break }
            }
        } catch {
            throw Task.isCancelled
                ? .cancelled(record) : .body(BodyFailure(.source, underlying: error, record: record))
        }
        let count = Int64(data.count)
        if count == length { return data }
        if Task.isCancelled { throw .cancelled(record) }
        throw .body(
            BodyFailure(
                count < length
                    ? .sourceTooShort(expected: length, actual: count)
                    : .sourceTooLong(expected: length, atLeast: count), record: record))
    }

    private static func length(_ length: Int64?) -> HTTPBody.Length { length.map { .known($0) } ?? .unknown }

    private static func head(_ head: HTTPResponse?, _ operationID: String) throws -> HTTPResponse {
        guard let head else {
            throw HTTPError.unsupported(
                Unsupported(operationID, "swift-http-types cannot represent the status or a field name of the response")
            )
        }
        return head
    }
}
