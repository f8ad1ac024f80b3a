#if canImport(CLibcurl)
import CLibcurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One exchange of a call in a transfer: from setting the options to what became of it.
struct CurlRun {
    let transfer: CurlTransfer
    let plan: CallPlan
    let times: CallTimes

    private var request: Request { plan.request }
    private var exchange: UnsafeMutablePointer<CurlExchange> { transfer.exchange }

    /// Makes the transfer ready to be run. An error says why it cannot be.
    func prepare(_ deadlines: Deadlines, at now: TimePoint) -> HTTPError? {
        // Too late to send anything: libcurl would, before anybody looks at the clock again.
        if let limit = deadlines.passed(at: now) {
            return timeout(limit, CallRecord(request, redirects: plan.redirects))
        }
        do throws(BodyProblem) {
            let body = try UploadContent(request, inlineLimit: CurlRequestOptions.inlineBody)
            transfer.clearWords()
            exchange.pointee.begin(plan)
            transfer.requestOptions.apply(plan, body: body, to: transfer)
            return nil
        } catch {
            return .body(BodyFailure(error, record: CallRecord(request, redirects: plan.redirects)))
        }
    }

    /// Lets go of what belongs to the caller. What came stays until the next exchange.
    func end() {
        exchange.pointee.end()
        transfer.requestOptions.release(transfer.handle)
    }

    func outcome(of ending: CurlTransfer.Ending) -> CallPlan.Outcome {
        switch ending {
        case .cancelled: .failed(.cancelled(record(phase: phase)), isStale: false)
        case .timedOut(let limit): .failed(timeout(limit, record(phase: phase)), isStale: false)
        case .unsent(let error): .failed(error, isStale: false)
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
        if transfer.tlsPeer.lacksCloseNotify, head.endsWithConnection(answering: request.method),
            !plan.isIntermediate(head)
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
        let failure = CurlFailure(code: code, transfer: transfer, phase: phase)
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
            TruncatedBody(reason, received: transfer.handle.offset(CURLINFO_SIZE_DOWNLOAD_T), record: record))
    }

    private func timeout(_ limit: Timeouts.Limit, _ record: CallRecord) -> HTTPError {
        let timeouts = request.timeouts
        let duration =
            switch limit {
            case .connect: timeouts.connect
            case .idle: timeouts.idle
            case .total: times.allowance
            }
        return .timedOut(TimeoutFailure(limit, after: duration ?? .zero, record: record))
    }

    /// How far the exchange got.
    private var phase: CallPhase {
        if exchange.pointee.head != nil { return .receiving }
        if exchange.pointee.isConnected { return exchange.pointee.hasGivenBody ? .waiting : .sending }
        if transfer.handle.offset(CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
        // libcurl has a time for the connection only once TLS stands on it, and an address as soon as it stands itself.
        guard transfer.handle.string(CURLINFO_PRIMARY_IP) != nil, !isBeforeTunnel else { return .connecting }
        return transfer.key.origin.scheme == .https ? .securing : .connecting
    }

    private var isBeforeTunnel: Bool {
        switch transfer.proxy?.kind {
        case .http, .https: transfer.handle.long(CURLINFO_HTTP_CONNECTCODE) / 100 != 2
        case .socks4, .socks4a, .socks5, .socks5h, nil: false
        }
    }

    func record(phase: CallPhase, engine: CallRecord.EngineNote? = nil) -> CallRecord {
        var record = CallRecord(
            request, phase: phase, metrics: metrics(), redirects: plan.redirects, engine: engine)
        record.proxy = transfer.proxy?.authority
        record.unixSocketPath = transfer.unixSocketPath
        return record
    }

    func metrics() -> Metrics {
        CurlMetrics(handle: transfer.handle).read(
            attempts: plan.attempts, callStart: times.start, route: transfer.route)
    }

    /// The finished response, for which the body leaves the transfer.
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
