#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Delivers a stored response.
struct CacheDelivery: Sendable {
    enum Result: Sendable {
        /// It waits, and is asked again.
        case step(PolicyStep)
        case deliver(Response)
        /// The stored response does not have what the request wants, or its body cannot be read. None of it was
        /// delivered.
        case useless
        case fail(HTTPError)
    }

    let visit: CacheVisit
    private let entry: CacheEntry
    private let status: CacheStatus
    private let metrics: Metrics
    /// What reads the body; nil before it does.
    private var work: CacheWork<Result>?

    /// - Parameter metrics: Those of the exchange that confirmed the response; nil if nothing was sent.
    init(_ visit: CacheVisit, _ entry: CacheEntry, _ status: CacheStatus, _ metrics: Metrics? = nil) {
        self.visit = visit
        self.entry = entry
        self.status = status
        self.metrics = metrics ?? Self.noExchange
    }

    /// The metrics of a response for which nothing was sent.
    private static let noExchange: Metrics = {
        var metrics = Metrics()
        metrics.attempts = 0
        return metrics
    }()

    mutating func next(_ event: PolicyEvent, _ moment: PolicyMoment) -> Result {
        if case .interrupted(let error) = event { return .fail(error) }
        if let work { return work.value }
        return begin(moment)
    }

    private mutating func begin(_ moment: PolicyMoment) -> Result {
        guard let answer = CachedAnswer(entry.response, to: visit.request, status) else { return .useless }
        let caller = visit.request.request
        let bytes = answer.bytes ?? 0..<0
        if let limit = Self.exceededLimit(bytes, caller) {
            return .fail(.limitExceeded(LimitExceeded(.body, bytes: limit, record: CallRecord(caller))))
        }
        let isFollowed = RedirectDecision.isFollowedRedirect(answer.status, answer.headers, answering: caller)
        let needsSink = answer.needsSink(for: caller) && !isFollowed
        // There is nothing to wait for: the body is in memory and stays there.
        if !needsSink, case .data = entry.body, let body = entry.body.data(bytes) {
            return .deliver(response(answer, body, Int64(body.count)))
        }
        let call = moment.call
        let work = CacheWork { [self] in read(answer, throughSink: needsSink) { call.isCancelled } }
        self.work = work
        return .step(work.step)
    }

    private func response(_ answer: CachedAnswer, _ body: Data, _ byteCount: Int64) -> Response {
        answer.response(
            of: entry.response, to: visit.request.request, body: body, byteCount: byteCount, metrics: metrics,
            redirects: visit.hops, cacheStatus: status)
    }

    private static func exceededLimit(_ bytes: Range<Int64>, _ request: Request) -> Int? {
        let limit = request.limits.bodyBytes
        return Int64(bytes.count) > Int64(limit) ? limit : nil
    }

    /// Blocks: it reads files, and may write to the caller's destination.
    private func read(_ answer: CachedAnswer, throughSink: Bool, isCancelled: () -> Bool) -> Result {
        let request = visit.request.request
        let bytes = answer.bytes ?? 0..<0
        guard throughSink else {
            guard let body = bytes.isEmpty ? Data() : entry.body.data(bytes) else { return .useless }
            return .deliver(response(answer, body, Int64(body.count)))
        }
        let start = ResponseStart(
            request: request, status: answer.status, version: entry.response.version, headers: answer.headers,
            bodyLength: Int64(bytes.count))
        let memory = Locked(Data())
        do throws(BodyProblem) {
            let opened = try request.openSink(start) {
                BodySink { bytes in memory.withLock { $0.append(contentsOf: bytes) } }
            }
            guard let sink = opened else { return .useless }
            do {
                guard try write(bytes, to: sink, isCancelled) else {
                    sink.abandon()
                    return .useless
                }
                try sink.finish()
            } catch {
                sink.abandon()
                throw BodyProblem(.sink, error)
            }
        } catch {
            let record = CallRecord(request, phase: .receiving)
            if error.underlying is CancellationError { return .fail(.cancelled(record)) }
            guard error.underlying is StopReading else { return .fail(error.error(record)) }
        }
        return .deliver(response(answer, memory.withLock { $0 }, Int64(bytes.count)))
    }

    private func write(_ bytes: Range<Int64>, to sink: BodySink, _ isCancelled: () -> Bool) throws -> Bool {
        guard bytes == 0..<entry.response.bodyByteCount else {
            guard let data = entry.body.data(bytes) else { return false }
            try data.withUnsafeBytes { try sink.write($0) }
            return true
        }
        return try entry.body.read { piece in
            if isCancelled() { throw CancellationError() }
            try sink.write(piece)
        }
    }
}
