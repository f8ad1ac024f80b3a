import HTTPFoundation
import HTTPSupport

/// Delivers a stored response.
struct CacheDelivery: Sendable {
    private let visit: CacheVisit
    private let entry: CacheEntry
    private let status: CacheStatus
    private let metrics: Metrics
    private let ownFields: HTTPHeaders
    /// What is done when the response has been read.
    var next: PolicyStep?

    /// - Parameters:
    ///   - metrics: Those of the exchange that confirmed the response; nil if nothing was sent.
    ///   - ownFields: What that exchange says to this call alone.
    init(
        _ visit: CacheVisit, _ entry: CacheEntry, _ status: CacheStatus, _ metrics: Metrics? = nil,
        adding ownFields: HTTPHeaders = [:]
    ) {
        (self.visit, self.entry, self.status, self.metrics) = (
            visit, entry, status, metrics ?? Metrics(attemptCount: 0)
        )
        self.ownFields = ownFields
    }

    func deliver(_ moment: PolicyMoment) -> CacheStage {
        guard var answer = CachedAnswer(entry.response, to: visit.request, status) else { return useless }
        for field in ownFields { answer.headers.append(field.value, for: field.name) }
        let request = visit.request.request
        let bytes = answer.bytes ?? 0..<0
        let limit = request.limits.bodyBytes
        guard bytes.length <= Int64(limit) else {
            let record = CallRecord(request, redirects: visit.hops)
            return .finished(.failure(.limitExceeded(LimitExceeded(.body, value: limit, record: record))))
        }
        let isFollowed = RedirectDecision.isFollowedRedirect(answer.status, answer.headers, answering: request)
        let needsSink = answer.needsSink(for: request) && !isFollowed
        // There is nothing to wait for: the body is in memory and stays there.
        if !needsSink, case .data = entry.body, let body = entry.body.data(bytes) {
            return response(answer, body, Int64(body.count))
        }
        // A reader may take its time over a stream, and others wait for the threads of the disk.
        let isOnDisk = !needsSink || !request.destination.isStream || request.destination.isPrompt
        return visit.run(isOnDisk: isOnDisk) { [answer] in
            if needsSink { return write(answer, bytes) { end(of: moment) } }
            guard let body = bytes.isEmpty ? Data() : entry.body.data(bytes) else { return useless }
            return response(answer, body, Int64(body.count))
        }
    }

    /// The stored response does not have what the request wants, or its body cannot be read. None of it was delivered:
    /// the server is asked.
    private var useless: CacheStage { .exchange(CacheExchange(visit, [], .send(.miss))) }

    private func response(_ answer: CachedAnswer, _ body: Data, _ byteCount: Int64) -> CacheStage {
        let stored = entry.response
        let delivered = CacheStage.response(
            Response(
                request: visit.request.request, status: answer.status,
                reasonPhrase: answer.status == stored.status ? stored.reason : "", version: stored.version,
                headers: answer.headers, trailers: [:], body: body, bodyByteCount: byteCount, metrics: metrics,
                redirects: visit.hops, carrying: MessageValues(CacheStatusKey.self, status)))
        return next.map { .waiting($0, delivered) } ?? delivered
    }

    /// Why the call has ended already; nil if it has not. An awaited one does not wait for the rest of the work, which
    /// must change nothing any more.
    private func end(of moment: PolicyMoment) -> HTTPError? {
        if moment.call.isCancelled { return .cancelled(record) }
        guard let deadline = moment.deadline, deadline.point <= moment.call.clock.now() else { return nil }
        return .timedOut(deadline, record)
    }

    private var record: CallRecord { CallRecord(visit.request.request, phase: .receiving, redirects: visit.hops) }

    private struct CallEnded: Error {
        let error: HTTPError
    }

    /// Blocks: it reads files, and writes to the caller's destination.
    private func write(_ answer: CachedAnswer, _ bytes: Range<Int64>, end: () -> HTTPError?) -> CacheStage {
        // Whoever has the head gets the body that belongs to it, or none.
        guard let read = reader(of: bytes) else { return useless }
        let request = visit.request.request
        let start = ResponseStart(
            request: request, status: answer.status, version: entry.response.version, headers: answer.headers,
            bodyLength: bytes.length)
        let memory = Locked(Data())
        do throws(BodyProblem) {
            let opened = try request.openSink(start) {
                BodySink { bytes in memory.withLock { $0.append(contentsOf: bytes) } }
            }
            guard let sink = opened else { return useless }
            do {
                try read { piece in
                    if let error = end() { throw CallEnded(error: error) }
                    try sink.write(piece)
                }
                if let error = end() { throw CallEnded(error: error) }
                try sink.finish()
            } catch {
                sink.abandon()
                throw BodyProblem(.sink, error)
            }
        } catch {
            // What a stream has passed on would come twice.
            if error.underlying is BrokenCacheFile, !request.destination.isStream { return useless }
            if let ended = error.underlying as? CallEnded { return .finished(.failure(ended.error)) }
            guard error.underlying is StopReading else { return .finished(.failure(error.error(record))) }
        }
        return response(answer, memory.withLock { $0 }, bytes.length)
    }

    private func reader(of bytes: Range<Int64>) -> CachedBody.Reader? {
        if bytes == 0..<entry.response.bodyByteCount { return entry.body.reader() }
        return entry.body.data(bytes).flatMap { CachedBody.data($0).reader() }
    }
}
