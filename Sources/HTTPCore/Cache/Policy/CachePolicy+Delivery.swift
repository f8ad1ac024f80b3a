#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The result of delivering a stored body.
enum CacheDelivery: Sendable {
    case done(Result<Response, HTTPError>)
    /// The stored body cannot be read, and none of it was delivered.
    case unreadable
}

extension CachePolicy {
    /// Delivers a stored response. `update`, if given, first updates the store.
    mutating func answer(
        _ request: CacheRequest, with entry: CacheEntry, _ status: CacheStatus, _ moment: PolicyMoment,
        metrics exchanged: Metrics? = nil, after update: (@Sendable () -> Void)? = nil
    ) -> PolicyStep {
        let stored = entry.response
        guard let answer = CachedAnswer(stored, to: request, status) else {
            if request.control.onlyIfCached { return fail(request) }
            return send(request, [], .send(.miss), nil, moment)
        }
        let metrics = exchanged ?? Self.noExchange
        let (hops, caller) = (hops, request.request)
        let bytes = answer.bytes ?? 0..<0
        if let limit = Self.exceededLimit(bytes, caller) {
            return .finish(.failure(.limitExceeded(LimitExceeded(.body, bytes: limit, record: CallRecord(caller)))))
        }
        let isFollowed = RedirectDecision.isFollowedRedirect(answer, answering: caller)
        let needsSink = answer.needsSink(for: caller) && !isFollowed
        // There is nothing to wait for: the body is in memory and stays there.
        if !needsSink, update == nil || cache.store.isImmediate, case .data = entry.body,
            let body = entry.body.data(bytes)
        {
            update?()
            return deliver(
                answer.response(
                    of: stored, to: caller, body: body, byteCount: Int64(body.count), metrics: metrics,
                    redirects: hops, cacheStatus: status), moment)
        }
        let work = CacheWork<CacheDelivery>()
        stage = .delivering(request, entry, work)
        let call = moment.call
        return work.step(moment) {
            update?()
            return Self.deliver(answer, entry, to: caller, throughSink: needsSink, status, metrics, hops) {
                call.isCancelled
            }
        }
    }

    private func fail(_ request: CacheRequest) -> PolicyStep {
        .finish(.failure(.notCached(NotCached(.miss, record: CallRecord(request.request, redirects: hops)))))
    }

    /// The metrics of a response for which nothing was sent.
    private static let noExchange: Metrics = {
        var metrics = Metrics()
        metrics.attempts = 0
        return metrics
    }()

    private static func exceededLimit(_ bytes: Range<Int64>, _ request: Request) -> Int? {
        let limit = request.limits.bodyBytes
        return Int64(bytes.count) > Int64(limit) ? limit : nil
    }

    /// Blocks: it reads files, and may write to the caller's destination.
    private static func deliver(
        _ answer: CachedAnswer, _ entry: CacheEntry, to request: Request, throughSink: Bool, _ status: CacheStatus,
        _ metrics: Metrics, _ hops: [RedirectHop], isCancelled: () -> Bool
    ) -> CacheDelivery {
        func response(_ body: Data, _ byteCount: Int64) -> CacheDelivery {
            .done(
                .success(
                    answer.response(
                        of: entry.response, to: request, body: body, byteCount: byteCount, metrics: metrics,
                        redirects: hops, cacheStatus: status)))
        }
        let bytes = answer.bytes ?? 0..<0
        guard throughSink else {
            guard let body = bytes.isEmpty ? Data() : entry.body.data(bytes) else { return .unreadable }
            return response(body, Int64(body.count))
        }
        let start = ResponseStart(
            request: request, status: answer.status, version: entry.response.version, headers: answer.headers,
            bodyLength: Int64(bytes.count))
        let memory = Locked(Data())
        do throws(BodyProblem) {
            let opened = try request.openSink(start) {
                BodySink { bytes in memory.withLock { $0.append(contentsOf: bytes) } }
            }
            guard let sink = opened else { return .unreadable }
            do {
                guard try read(entry, bytes, isCancelled, sink) else {
                    sink.abandon()
                    return .unreadable
                }
                try sink.finish()
            } catch {
                sink.abandon()
                throw BodyProblem(.sink, error)
            }
        } catch {
            if error.underlying is CancellationError {
                return .done(.failure(.cancelled(CallRecord(request, phase: .receiving))))
            }
            guard error.underlying is StopReading else {
                return .done(.failure(.body(BodyFailure(error, record: CallRecord(request, phase: .receiving)))))
            }
        }
        return response(memory.withLock { $0 }, Int64(bytes.count))
    }

    private static func read(
        _ entry: CacheEntry, _ bytes: Range<Int64>, _ isCancelled: () -> Bool, _ sink: BodySink
    ) throws -> Bool {
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

    mutating func take(
        _ delivery: CacheDelivery, of entry: CacheEntry, to request: CacheRequest, _ moment: PolicyMoment
    ) -> PolicyStep {
        switch delivery {
        case .done(.success(let response)): return deliver(response, moment)
        case .done(.failure(let error)): return .finish(.failure(error))
        case .unreadable:
            // The store has removed the entry. If reading keeps failing, the server is asked.
            badReads += 1
            guard badReads > 1 else { return begin(request.request, moment) }
            return send(request, [], .send(.miss), nil, moment)
        }
    }

    /// Delivers a response to the caller, or follows its redirect.
    mutating func deliver(_ response: Response, _ moment: PolicyMoment) -> PolicyStep {
        let request = response.request
        guard request.redirects.limit > 0, response.status.isRedirection,
            let head = try? ResponseHead(
                version: response.version, status: response.status, headers: response.headers.onlyLocation)
        else { return .finish(.success(response)) }
        if request.cookies != nil, response.headers.contains("Set-Cookie"), response.cacheStatus?.isFromStore == false {
            outdatedVisits = hops.count + 1
        }
        switch RedirectDecision(head, answering: request, after: hops, outdatedVisits: outdatedVisits) {
        case .final: return .finish(.success(response))
        case .refuse(let reason, let location): return refuse(reason, response, location)
        case .follow(let next, let hop):
            if case .refuse(let words)? = request.redirects.hook?.decide(hop) {
                return refuse(.refusedByPolicy(words), response, hop.location)
            }
            hops.append(hop)
            (badReads, hasFollowed) = (0, false)
            return begin(next, moment)
        }
    }

    private func refuse(
        _ reason: RedirectFailure.Reason, _ response: Response, _ location: HTTPURL?
    ) -> PolicyStep {
        let record = CallRecord(response.request, phase: .receiving, metrics: response.metrics, redirects: hops)
        return .finish(
            .failure(.redirect(RedirectFailure(reason, status: response.status, location: location, record: record))))
    }
}

extension RedirectDecision {
    fileprivate static func isFollowedRedirect(_ answer: CachedAnswer, answering request: Request) -> Bool {
        guard request.redirects.limit > 0, answer.status.isRedirection else { return false }
        return (try? ResponseHead(status: answer.status, headers: answer.headers.onlyLocation))
            .map { isFollowedRedirect($0, answering: request) } ?? false
    }
}

extension HTTPHeaders {
    /// The fields that a redirect decision reads.
    var onlyLocation: HTTPHeaders {
        var headers = self
        headers.removeAll { !$0.isNamed("Location") }
        return headers
    }
}

extension Response {
    /// This response as one to `request`, after these redirects.
    func answering(_ request: Request, behind hops: [RedirectHop], _ status: CacheStatus) -> Response {
        Response(
            request: request, status: self.status, reason: reason, version: version, headers: headers,
            trailers: trailers, body: body, bodyByteCount: bodyByteCount, metrics: metrics,
            redirects: hops + redirects, cacheStatus: status)
    }
}

extension HTTPError {
    /// Whether the failure lies with the server or the way to it.
    var meansUnreachable: Bool {
        switch self {
        case .timedOut, .resolution, .connection, .tls, .protocolViolation, .truncatedBody: true
        case .invalidRequest, .unsupported, .cancelled, .overloaded, .notCached, .destinationRefused, .limitExceeded,
            .body, .interceptor, .redirect, .unacceptableStatus, .decoding, .brokenPromise:
            false
        }
    }

    /// Whether the error concerns only this call and says nothing about the result of another.
    var isOwn: Bool {
        switch self {
        case .timedOut(let failure): failure.limit == .total || failure.limit == nil
        case .invalidRequest, .unsupported, .cancelled, .overloaded, .notCached, .limitExceeded, .body, .interceptor,
            .unacceptableStatus, .decoding, .brokenPromise:
            true
        case .resolution, .destinationRefused, .connection, .tls, .protocolViolation, .truncatedBody, .redirect: false
        }
    }

    /// The same error with these redirects before its own.
    func behind(_ hops: [RedirectHop]) -> HTTPError {
        guard !hops.isEmpty else { return self }
        return changingRecord { $0.redirects = hops + $0.redirects }
    }
}
