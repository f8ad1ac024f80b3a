import HTTPEngine
import HTTPFoundation

/// The delivery of a response to the caller.
extension StubCall {
    /// Nil for a redirect that is followed.
    mutating func deliver(_ response: StubResponse) throws(HTTPError) -> Response? {
        let head: ResponseHead
        do {
            head = try ResponseHead(
                version: response.version, status: response.status, reason: response.reason, headers: response.headers)
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
            let metrics = metrics(received: receiver.byteCount)
            return receiver.response(of: plan, trailers: response.trailers, metrics: metrics)
        }
    }
}

/// The delivery of a response that is known already, as a transport delivers one that arrives.
extension ResponseReceiver {
    /// Takes head and body until no more is wanted.
    ///
    /// - Parameters:
    ///   - length: The announced length of the body; nil for none.
    ///   - pieces: The body, in the pieces in which it arrives.
    ///   - reason: Why it is incomplete; nil if it is not.
    ///   - token: Ends the delivery when it is cancelled.
    ///   - record: The record of a failure.
    package mutating func receive(
        _ head: ResponseHead, length: Int64?, _ pieces: [Data], truncated reason: TruncatedBody.Reason? = nil,
        under token: CancellationToken?, record: () -> CallRecord
    ) throws(HTTPError) {
        let failure: HTTPError?
        do throws(Stop) {
            failure = try takeAll(head, length, pieces, reason, token, record)
        } catch {
            if case .enough = error { return }
            throw error.error(record())
        }
        if let failure { throw failure }
    }

    private mutating func takeAll(
        _ head: ResponseHead, _ length: Int64?, _ pieces: [Data], _ reason: TruncatedBody.Reason?,
        _ token: CancellationToken?, _ record: () -> CallRecord
    ) throws(Stop) -> HTTPError? {
        guard try expectBody(behind: head, length) else { return nil }
        for piece in pieces where !piece.isEmpty {
            if let token, token.isCancelled { return headIfLeft == nil ? .cancelled(record()) : nil }
            try take(piece)
        }
        if let reason { return .truncatedBody(TruncatedBody(reason, received: byteCount, record: record())) }
        try finish()
        return nil
    }
}
