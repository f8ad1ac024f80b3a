#if canImport(CLibcurl)
import CLibcurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One exchange in a lane, from setting the options to reading the figures.
struct CurlRun {
    let lane: CurlLane
    let plan: CallPlan
    let callStart: ContinuousClock.Instant
    let start: ContinuousClock.Instant

    private var request: Request { plan.request }
    private var exchange: UnsafeMutablePointer<CurlExchange> { lane.exchange }

    /// Sends the request and receives the answer; blocks until that is over.
    func perform(token: CancellationToken?) -> CallPlan.Outcome {
        let deadlines = Deadlines(request.timeouts, now: start, callStart: callStart)
        // Too late to send anything: libcurl would, before anybody looks at the clock again.
        if let limit = deadlines.passed(at: start) {
            return .failed(timeout(limit, CallRecord(request, redirects: plan.redirects)), isStale: false)
        }
        switch request.body.content {
        case .empty: return send(.none, deadlines, token)
        case .data(let data) where request.progress?.upload == nil:
            return data.withUnsafeBytes { send(.bytes($0), deadlines, token) }
        case .data, .file, .stream, .multipart:
            do { return send(.stream(try request.openBody()), deadlines, token) } catch {
                let record = CallRecord(request, redirects: plan.redirects)
                return .failed(.body(BodyFailure(error, record: record)), isStale: false)
            }
        }
    }

    private func send(
        _ body: UploadContent, _ deadlines: Deadlines, _ token: CancellationToken?
    ) -> CallPlan.Outcome {
        var deadlines = deadlines
        exchange.pointee.begin(plan)
        defer { exchange.pointee.end() }
        lane.requestOptions.apply(plan.sent, body: body, to: lane)
        defer { lane.requestOptions.release(lane.handle) }
        let registration = token?.onCancel { [waker = lane.waker] in waker.wake() }
        defer { registration?.remove() }
        return outcome(of: drive(&deadlines, token))
    }

    private func drive(_ deadlines: inout Deadlines, _ token: CancellationToken?) -> CurlLane.Ending {
        guard lane.speaksTLS else { return lane.drive(&deadlines, token: token) }
        return BrokenPipeGuard.around { lane.drive(&deadlines, token: token) }
    }

    private func outcome(of ending: CurlLane.Ending) -> CallPlan.Outcome {
        switch ending {
        case .cancelled: .failed(.cancelled(record(phase: phase)), isStale: false)
        case .timedOut(let limit): .failed(timeout(limit, record(phase: phase)), isStale: false)
        case .done(CURLE_OK): answer()
        case .done(let code): stopped(code)
        }
    }

    /// libcurl is content, also with a head that breaks off. Whether the body is whole, its codings know.
    private func answer() -> CallPlan.Outcome {
        guard let head = exchange.pointee.head else {
            let record = record(phase: .waiting)
            let failure = ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: true, record: record)
            return .failed(.connection(failure), isStale: false)
        }
        if let coding = exchange.pointee.decoding?.unfinishedCoding {
            return .failed(truncated(.contentCoding(coding)), isStale: false)
        }
        if lane.tlsPeer.lacksCloseNotify, head.endsWithConnection(answering: request.method), !plan.isIntermediate(head)
        {
            return .failed(truncated(.missingCloseNotify), isStale: false)
        }
        return exchange.pointee.hasSink ? delivered(head) : .answered(head)
    }

    /// The sink has the last word, once nothing else can go wrong.
    private func delivered(_ head: ResponseHead) -> CallPlan.Outcome {
        guard exchange.pointee.trailers() != nil else { return .failed(badTrailers, isStale: false) }
        do throws(BodyProblem) { try exchange.pointee.finishSink() } catch {
            return .failed(.body(BodyFailure(error, record: record(phase: .receiving))), isStale: false)
        }
        return .answered(head)
    }

    private var badTrailers: HTTPError {
        .protocolViolation(
            ProtocolViolation("its trailer fields break RFC 9112 §7.1.2", record: record(phase: .receiving)))
    }

    private func stopped(_ code: CURLcode) -> CallPlan.Outcome {
        let failure = CurlFailure(code: code, lane: lane, phase: phase)
        switch exchange.pointee.stop {
        case .intermediateBodyTooLong: return answer()
        case .violation(let reason):
            return .failed(
                .protocolViolation(ProtocolViolation(reason, record: record(phase: .receiving))), isStale: false)
        case .headTooLarge: return .failed(limit(.header, request.limits.headerBytes), isStale: false)
        case .bodyTooLarge: return .failed(limit(.body, exchange.pointee.limits.bodyBytes), isStale: false)
        case .expandedTooFar: return .failed(limit(.expansion, request.limits.expansion ?? 0), isStale: false)
        case .body(let problem):
            return .failed(.body(BodyFailure(problem, record: record(phase: phase))), isStale: false)
        // The response is whole: libcurl wanted to send the request once more because of it (417).
        case nil where failure.hasRefusedResend && exchange.pointee.head != nil: return answer()
        // Of a redirect that is followed only the head counts.
        case nil where exchange.pointee.head.map(plan.isIntermediate) == true: return answer()
        // The server refused in the middle of the request, and closed. What counts came before.
        case nil where exchange.pointee.hasWholeEarlyAnswer: return answer()
        // libcurl takes no line beyond 100 KiB.
        case nil
        where (code == CURLE_OUT_OF_MEMORY || code.rawValue == 100) && exchange.pointee.isConnected
            && exchange.pointee.head == nil:
            return .failed(self.limit(.header, min(request.limits.headerBytes, 100 << 10)), isStale: false)
        case nil:
            let record = record(phase: phase, engine: failure.note)
            return .failed(failure.error(record), isStale: failure.isStale)
        }
    }

    private func limit(_ limit: LimitExceeded.Limit, _ bytes: Int) -> HTTPError {
        .limitExceeded(LimitExceeded(limit, bytes: bytes, record: record(phase: .receiving)))
    }

    private func truncated(_ reason: TruncatedBody.Reason) -> HTTPError {
        let record = record(phase: .receiving)
        return .truncatedBody(
            TruncatedBody(reason, received: lane.handle.offset(CURLINFO_SIZE_DOWNLOAD_T), record: record))
    }

    private func timeout(_ limit: Timeouts.Limit, _ record: CallRecord) -> HTTPError {
        let timeouts = request.timeouts
        let duration =
            switch limit {
            case .connect: timeouts.connect
            case .idle: timeouts.idle
            case .total: timeouts.deadline(from: callStart)?.allowance
            }
        return .timedOut(TimeoutFailure(limit, after: duration ?? .zero, record: record))
    }

    /// How far the exchange got.
    private var phase: CallPhase {
        if exchange.pointee.head != nil { return .receiving }
        if exchange.pointee.isConnected { return exchange.pointee.hasGivenBody ? .waiting : .sending }
        if lane.handle.offset(CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
        // libcurl has a time for the connection only once TLS stands on it, and an address as soon as it stands itself.
        guard lane.handle.string(CURLINFO_PRIMARY_IP) != nil, !isBeforeTunnel else { return .connecting }
        return lane.key.origin.scheme == .https ? .securing : .connecting
    }

    private var isBeforeTunnel: Bool {
        switch lane.proxy?.kind {
        case .http, .https: lane.handle.long(CURLINFO_HTTP_CONNECTCODE) / 100 != 2
        case .socks4, .socks4a, .socks5, .socks5h, nil: false
        }
    }

    func record(phase: CallPhase, engine: CallRecord.EngineNote? = nil) -> CallRecord {
        var record = CallRecord(
            request, phase: phase, metrics: metrics(), redirects: plan.redirects, engine: engine)
        record.proxy = lane.proxy?.authority
        record.unixSocketPath = lane.unixSocketPath
        return record
    }

    func metrics() -> Metrics {
        CurlMetrics(handle: lane.handle).read(attempts: plan.attempts, callStart: callStart, route: lane.route)
    }

    /// The finished response, for which the body leaves the lane.
    func response(redirects: [RedirectHop]) throws(HTTPError) -> Response {
        guard let head = exchange.pointee.head, let trailers = exchange.pointee.trailers() else {
            throw badTrailers
        }
        let body = exchange.pointee.body.take()
        return Response(
            request: request, status: head.status, reason: head.reason, version: head.version, headers: head.headers,
            trailers: trailers, body: body, bodyByteCount: max(exchange.pointee.sunkCount, Int64(body.count)),
            metrics: metrics(), redirects: redirects)
    }
}
#endif
