import CLibcurl
import HTTPCore
import HTTPEngine
import HTTPSupport

/// The errors of a failed exchange.
extension CurlCall {
    /// In the phase that the exchange had reached, if no `phase` is given.
    func record(
        _ phase: CallActivity? = nil, in transfer: CurlTransfer, engine: CallRecord.UnderlyingError? = nil
    ) -> CallRecord {
        var record = transfer.record(
            plan, since: times.start, to: end ?? .now, phase: phase ?? transfer.phase, engine: engine)
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
        let received = transfer.handle.offset(CURLINFO_SIZE_DOWNLOAD_T)
        return .truncatedBody(
            TruncatedBody(reason, received: received, record: record(.receiving, in: transfer)))
    }

    func timeout(_ limit: Timeouts.Limit, _ record: CallRecord) -> HTTPError {
        plan.request.timeouts.failure(limit, allowance: times.allowance, record)
    }
}
