import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Hands a recorded answer to the caller as a transport does: to memory or to a sink, within the request's limits.
struct ReplayDelivery {
    private static let pieceSize = 64 << 10

    let request: Request
    let head: ResponseHead
    let reason: String
    let trailers: HTTPHeaders
    let body: Data
    let redirects: [RedirectHop]
    let start: ContinuousClock.Instant

    func response() throws(HTTPError) -> Response {
        try checkLimits()
        guard request.needsSink, head.status.isSuccess, head.mayHaveBody(answering: request.method) else {
            return response(body: body)
        }
        let memory = BodyBuffer()
        do { try pour(into: memory) } catch { throw .body(BodyFailure(error, record: record)) }
        return response(body: memory.take())
    }

    private func response(body: Data) -> Response {
        var metrics = Metrics.replayed
        metrics.total = start.duration(to: .now)
        return Response(
            request: request, status: head.status, reason: reason, version: head.version, headers: head.headers,
            trailers: trailers, body: body, bodyByteCount: Int64(self.body.count), metrics: metrics,
            redirects: redirects)
    }

    private func checkLimits() throws(HTTPError) {
        if let token = CancellationToken.current, token.isCancelled { throw .cancelled(record) }
        let headSize = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if headSize > request.limits.headerBytes {
            throw .limitExceeded(LimitExceeded(.header, bytes: request.limits.headerBytes, record: record))
        }
        let isRefusal = request.needsSink && !head.status.isSuccess
        let limit = isRefusal ? min(request.limits.bodyBytes, Limits.defaultBodyBytes) : request.limits.bodyBytes
        if body.count > limit { throw .limitExceeded(LimitExceeded(.body, bytes: limit, record: record)) }
    }

    private func pour(into memory: BodyBuffer) throws(BodyProblem) {
        let isCoded = head.headers.contains("Content-Encoding")
        let start = ResponseStart(
            request: request, status: head.status, version: head.version, headers: head.headers,
            bodyLength: isCoded ? nil : head.contentLength)
        let sink = try request.openSink(start) { BodySink { bytes in _ = memory.append(bytes) } }
        guard let sink else { return }
        do {
            var rest = body
            while !rest.isEmpty {
                try rest.prefix(Self.pieceSize).withUnsafeBytes { try sink.write($0) }
                rest = rest.dropFirst(Self.pieceSize)
            }
            try sink.finish()
        } catch {
            sink.abandon()
            throw BodyProblem(.sink, error)
        }
    }

    private var record: CallRecord {
        CallRecord(request, phase: .receiving, metrics: .replayed, redirects: redirects)
    }
}
