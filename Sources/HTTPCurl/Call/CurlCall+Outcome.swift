import CLibcurl
import HTTPFoundation
import HTTPSupport

/// The outcome of an exchange. An extension of the call, because a separate object would copy the plan twice for each
/// exchange.
extension CurlCall {
    func outcome(of ending: TransferResult, in transfer: CurlTransfer) -> CallPlan.Outcome {
        switch ending {
        case .cancelled:
            transfer.exchange.body.receiver.headIfLeft.map { .answered($0) }
                ?? .failed(.cancelled(record(in: transfer)), isStale: false)
        // RFC 9113 §8.1: such a response is not discarded.
        case .timedOut where transfer.exchange.hasWholeEarlyAnswer: answer(in: transfer)
        case .timedOut(let limit): .failed(timeout(limit, record(in: transfer)), isStale: false)
        case .unsent(let error): .failed(error, isStale: false)
        // libcurl 8.3 may end a paused transfer so, and drop what it has of it.
        case .done(CURLE_OK)
        where transfer.exchange.body.isHeld && !transfer.exchange.body.receiver.isFollowedRedirect:
            .failed(
                truncated(transfer.exchange.body.receiver.head?.truncation ?? .chunked, in: transfer), isStale: false)
        case .drained, .done(CURLE_OK): answer(in: transfer)
        case .done(let code): stopped(code, in: transfer)
        }
    }

    /// libcurl reports success, even for a truncated head. The decoders know whether the body is complete.
    private func answer(in transfer: CurlTransfer) -> CallPlan.Outcome {
        guard let head = transfer.exchange.body.receiver.head else {
            let record = record(.waiting, in: transfer)
            let failure = ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: true, record: record)
            return .failed(.connection(failure), isStale: false)
        }
        if let coding = transfer.exchange.body.decoding?.unfinishedCoding {
            return .failed(truncated(.contentCoding(coding), in: transfer), isStale: false)
        }
        if transfer.tlsPeer?.lacksCloseNotify == true, head.endsWithConnection(answering: plan.request.method),
            !plan.isFollowedRedirect(head)
        {
            return .failed(truncated(.missingCloseNotify, in: transfer), isStale: false)
        }
        return transfer.exchange.body.receiver.hasSink ? delivered(head, in: transfer) : .answered(head)
    }

    /// The sink is finished last, when nothing else can fail.
    private func delivered(_ head: ResponseHead, in transfer: CurlTransfer) -> CallPlan.Outcome {
        guard transfer.exchange.trailers() != nil else { return .failed(invalidTrailers(in: transfer), isStale: false) }
        do throws(ResponseReceiver.Stop) { try transfer.exchange.body.receiver.finish() } catch {
            return stopped(error, in: transfer)
        }
        return .answered(head)
    }

    /// The reason is in the response that was received, or in the source of the request body.
    private func stopped(_ stop: ResponseReceiver.Stop, in transfer: CurlTransfer) -> CallPlan.Outcome {
        if case .enough = stop, let head = transfer.exchange.body.receiver.head { return .answered(head) }
        let phase = if case .body = stop { transfer.phase } else { CallActivity.receiving }
        return .failed(stop.error(record(phase, in: transfer)), isStale: false)
    }

    private func stopped(_ code: CURLcode, in transfer: CurlTransfer) -> CallPlan.Outcome {
        let connection = transfer.exchange.connection
        if connection.hasRefusedResend || (connection.isHTTP2 && code == CURLE_RECV_ERROR) { transfer.isSpent = true }
        if transfer.exchange.connection.isUnfit { return .unfit }
        if let refusal = transfer.exchange.connection.refusedDestination {
            let record = record(.connecting, in: transfer)
            return .failed(.destinationRefused(DestinationFailure(refusal, record: record)), isStale: false)
        }
        if transfer.exchange.connection.isHeadTooLong {
            let head = "a request head of \(transfer.exchange.connection.headBytes) bytes over HTTP/2"
            let reason = "the engine sends 64 KiB at most: shorten it, or ask for HTTP/1.1 with .version(.http1)"
            return .failed(.unsupported(Unsupported(head, reason)), isStale: false)
        }
        let failure = CurlFailure(code: code, transfer: transfer)
        switch transfer.exchange.stop {
        case let stop?: return stopped(stop, in: transfer)
        // The response is complete: libcurl wanted to resend the request because of it.
        case nil where failure.hasRefusedResend && transfer.exchange.body.receiver.head?.status == 417:
            return answer(in: transfer)
        // Only the head of a followed redirect counts.
        case nil where transfer.exchange.body.receiver.head.map(plan.isFollowedRedirect) == true:
            return answer(in: transfer)
        // The server refused in the middle of the request, and closed. The response it sent before counts.
        case nil where transfer.exchange.hasWholeEarlyAnswer || failure.hasEndedStream: return answer(in: transfer)
        case nil:
            if transfer.exchange.isConnected, let most = failure.mostHeadBytes {
                let bytes = plan.request.limits.headerBytes
                let limit = bytes <= most ? (LimitExceeded.Limit.header, bytes) : (.headerLine, most)
                return stopped(.limitExceeded(limit.0, bytes: limit.1), in: transfer)
            }
            // What libcurl says about a second connection that it was refused explains nothing.
            let record = record(in: transfer, engine: failure.hasRefusedResend ? nil : failure.note)
            let error = failure.error(record)
            return failure.isUnprocessed ? .unprocessed(error) : .failed(error, isStale: failure.isStale)
        }
    }

    /// The finished response, which takes the body from the transfer. Inlined, because it is large and would be moved
    /// once more.
    @inline(__always)
    func response(in transfer: CurlTransfer, at now: TimePoint) -> Result<Response, HTTPError> {
        guard let trailers = transfer.exchange.trailers() else { return .failure(invalidTrailers(in: transfer)) }
        transfer.lastBodyByteCount = transfer.exchange.body.receiver.byteCount
        return .success(
            transfer.exchange.body.receiver.response(
                of: plan, trailers: trailers, metrics: transfer.metrics(plan, from: start, to: now)))
    }
}

/// The errors of a failed exchange.
extension CurlCall {
    /// In the phase that the exchange had reached, if no `phase` is given.
    func record(
        _ phase: CallActivity? = nil, in transfer: CurlTransfer, engine: CallRecord.UnderlyingError? = nil
    ) -> CallRecord {
        var record = transfer.record(
            plan, since: start, to: end ?? .now, phase: phase ?? transfer.phase, engine: engine)
        // The phase in which it failed lasted until then, whatever libcurl has noted last.
        record.metrics.timings.complete = record.metrics.timings.finished
        return record
    }

    func violation(_ reason: String, _ kind: ProtocolViolation.Kind, in transfer: CurlTransfer) -> HTTPError {
        .protocolViolation(ProtocolViolation(reason, kind: kind, record: record(.receiving, in: transfer)))
    }

    func invalidTrailers(in transfer: CurlTransfer) -> HTTPError {
        violation("its trailer fields break RFC 9112 §7.1.2", .framing, in: transfer)
    }

    func truncated(_ reason: TruncatedBody.Reason, in transfer: CurlTransfer) -> HTTPError {
        let received = transfer.exchange.body.codedCount
        return .truncatedBody(
            TruncatedBody(reason, received: received, record: record(.receiving, in: transfer)))
    }

    func timeout(_ limit: Timeouts.Limit, _ record: CallRecord) -> HTTPError {
        plan.request.timeouts.failure(limit, by: deadline, record)
    }
}
