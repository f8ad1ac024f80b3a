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
        let trailers = try receiver.receive(
            head, length: response.length.map(Int64.init), response.arriving, trailers: response.trailers,
            truncated: response.truncation, under: token
        ) { record(.receiving) }
        let received = record(.receiving)
        switch plan.advance(after: .answered(head), record: { _ in received }) {
        case .send: return nil
        case .fail(let error): throw error
        case .deliver:
            let metrics = metrics(received: receiver.byteCount)
            return receiver.response(of: plan, trailers: trailers, metrics: metrics)
        }
    }
}

/// The delivery of a response that is known already, as a transport delivers one that arrives.
extension ResponseReceiver {
    /// Takes head and body until no more is wanted. Returns the trailers; none without the end of a body.
    ///
    /// - Parameters:
    ///   - length: The announced length of the body; nil for none.
    ///   - pieces: The body, in the pieces in which it arrives.
    ///   - trailers: The fields behind the body.
    ///   - reason: Why it is incomplete; nil if it is not.
    ///   - token: Ends the delivery when it is cancelled.
    ///   - record: The record of a failure.
    package mutating func receive(
        _ head: ResponseHead, length: Int64?, _ pieces: [Data], trailers: HTTPHeaders,
        truncated reason: TruncatedBody.Reason? = nil, under token: CancellationToken?, record: () -> CallRecord
    ) throws(HTTPError) -> HTTPHeaders {
        let arrived: Result<HTTPHeaders, HTTPError>
        do throws(Stop) {
            arrived = try takeAll(head, length, pieces, trailers, reason, token, record)
        } catch {
            if case .enough = error { return [:] }
            throw error.error(record())
        }
        return try arrived.get()
    }

    private mutating func takeAll(
        _ head: ResponseHead, _ length: Int64?, _ pieces: [Data], _ trailers: HTTPHeaders,
        _ reason: TruncatedBody.Reason?, _ token: CancellationToken?, _ record: () -> CallRecord
    ) throws(Stop) -> Result<HTTPHeaders, HTTPError> {
        guard try expectBody(behind: head, length) else { return .success([:]) }
        for piece in pieces where !piece.isEmpty {
            if let token, token.isCancelled {
                return headIfLeft == nil ? .failure(.cancelled(record())) : .success([:])
            }
            try take(piece)
        }
        if let reason { return .failure(.truncatedBody(TruncatedBody(reason, received: byteCount, record: record()))) }
        guard hasRoom(forHead: trailers.byteCount) else { throw headTooLarge }
        try finish()
        return .success(trailers)
    }
}
