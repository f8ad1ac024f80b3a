import HTTPCore
import HTTPEngine

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The delivery of a response to the caller.
extension StubCall {
    /// Nil for a redirect that is followed.
    mutating func deliver(_ response: StubResponse) throws(HTTPError) -> Response? {
        let head: ResponseHead
        do {
            head = try ResponseHead(version: response.version, status: response.status, headers: response.headers)
        } catch {
            throw .protocolViolation(ProtocolViolation(error.reason, record: record(.receiving)))
        }
        var receiver = ResponseReceiver()
        receiver.begin(plan.request)
        defer { receiver.end() }
        try receiver.receive(
            head, length: response.length.map(Int64.init), response.arriving, truncated: response.truncation,
            under: token
        ) { record(.receiving) }
        let received = record(.receiving)
        switch plan.advance(after: .answered(head), record: { _ in received }) {
        case .send: return nil
        case .fail(let error): throw error
        case .deliver:
            return Response(
                request: plan.answered, status: head.status, reason: response.reason, version: head.version,
                headers: head.headers, trailers: response.trailers, body: receiver.takeBody(),
                bodyByteCount: receiver.byteCount, metrics: metrics(received: receiver.byteCount),
                redirects: plan.redirects)
        }
    }
}
