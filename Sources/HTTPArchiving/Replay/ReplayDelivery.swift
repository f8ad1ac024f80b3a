import HTTPCore
import HTTPEngine

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Delivers a recorded response as a transport does: to memory or a sink, within the limits of the request.
struct ReplayDelivery {
    private static let pieceSize = 64 << 10

    let request: Request
    let head: ResponseHead
    let reason: String
    let trailers: HTTPHeaders
    let body: Data
    let plan: CallPlan
    let start: ContinuousClock.Instant

    func response() throws(HTTPError) -> Response {
        if let token = CancellationToken.current, token.isCancelled { throw .cancelled(record) }
        var receiver = ResponseReceiver()
        receiver.begin(request)
        defer { receiver.end() }
        do throws(ResponseReceiver.Stop) { try pour(into: &receiver) } catch {
            guard case .enough = error else { throw error.error(record) }
        }
        return response(body: receiver.takeBody())
    }

    private func pour(into receiver: inout ResponseReceiver) throws(ResponseReceiver.Stop) {
        let isCoded = head.headers.contains("Content-Encoding")
        guard try receiver.expectBody(behind: head, isCoded ? nil : head.contentLength) else { return }
        var rest = body
        while !rest.isEmpty {
            try receiver.take(rest.prefix(Self.pieceSize))
            rest = rest.dropFirst(Self.pieceSize)
        }
        try receiver.finish()
    }

    private func response(body: Data) -> Response {
        var metrics = Metrics.replayed
        metrics.total = start.duration(to: .now)
        plan.complete(&metrics)
        return Response(
            request: request, status: head.status, reason: reason, version: head.version, headers: head.headers,
            trailers: trailers, body: body, bodyByteCount: Int64(self.body.count), metrics: metrics,
            redirects: plan.redirects)
    }

    private var record: CallRecord {
        CallRecord(request, phase: .receiving, metrics: .replayed, redirects: plan.redirects)
    }
}
