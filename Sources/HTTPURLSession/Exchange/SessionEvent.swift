import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

enum SessionEvent: Sendable {
    /// The total number of request body bytes sent so far.
    case sent(Int64)
    case head(SessionHead)
    case body(Data)
    /// The certificate of the server, or of the proxy if `isProxy`, was refused, so nothing was sent.
    case rejected(TrustFailure, isProxy: Bool)
    /// The last event. It has the task's response head, because some heads are not reported before.
    case completed(SessionFailure?, SessionHead?)
    /// The response is whole, but the task waits for credentials, and runs on.
    case challenged

    /// The approximate size in memory, in bytes: a body may arrive in pieces of one byte.
    var byteCount: Int {
        switch self {
        case .body(let data): MemoryLayout<Self>.size + data.count
        case .head(let head): MemoryLayout<Self>.size + head.byteCount
        case .sent, .rejected, .completed, .challenged: MemoryLayout<Self>.size
        }
    }
}

/// The head of a response, as reported by URLSession.
struct SessionHead: Sendable {
    let status: HTTPStatus
    let headers: HTTPHeaders

    init?(_ response: URLResponse?) {
        guard let response = response as? HTTPURLResponse else { return nil }
        status = HTTPStatus(response.statusCode)
        headers = PlatformSession.wireFields(HTTPHeaders(fieldsOf: response.allHeaderFields))
    }

    /// The approximate size on the wire, in bytes.
    var byteCount: Int { 32 + headers.byteCount }
}
