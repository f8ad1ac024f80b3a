import HTTPCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// What the session tells about an exchange, as values.
enum SessionEvent: Sendable {
    /// So many bytes of the request's body went out in all.
    case sent(Int64)
    case head(SessionHead)
    case body(Data)
    /// The server's certificate was not accepted, so nothing was sent; `isProxy` says whose.
    case rejected(TrustFailure, isProxy: Bool)
    /// Nothing follows. The head as the task has it, for some come without having been announced.
    case completed(SessionFailure?, SessionHead?)

    /// About how much memory it holds: a body may come in chunks of a byte each.
    var byteCount: Int {
        switch self {
        case .body(let data): MemoryLayout<Self>.size + data.count
        case .head(let head): MemoryLayout<Self>.size + head.byteCount
        case .sent, .rejected, .completed: MemoryLayout<Self>.size
        }
    }
}

/// The head of a response, as URLSession tells it.
struct SessionHead: Sendable {
    let status: HTTPStatus
    let headers: HTTPHeaders

    init?(_ response: URLResponse?) {
        guard let response = response as? HTTPURLResponse else { return nil }
        status = HTTPStatus(response.statusCode)
        headers = PlatformSession.wireFields(HTTPHeaders(fieldsOf: response.allHeaderFields))
    }

    /// About what it took on the wire.
    var byteCount: Int { headers.reduce(32) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }
}
