import HTTPCore

/// The response, on its way to the caller.
extension StubCall {
    /// Nil where it is a redirect that is followed.
    mutating func deliver(_ response: StubResponse) throws(HTTPError) -> Response? {
        let head: ResponseHead
        do {
            head = try ResponseHead(version: response.version, status: response.status, headers: response.headers)
        } catch {
            throw .protocolViolation(ProtocolViolation(error.reason, record: record(.receiving)))
        }
        var delivery = StubDelivery(plan.request)
        if !plan.isIntermediate(head) { try deliver(response, head, to: &delivery) }
        let record = record(.receiving)
        switch plan.advance(after: .answered(head), record: { _ in record }) {
        case .send: return nil
        case .fail(let error): throw error
        case .deliver:
            return Response(
                request: plan.request, status: head.status, reason: response.reason, version: head.version,
                headers: head.headers, trailers: response.trailers, body: delivery.body,
                bodyByteCount: delivery.count, metrics: metrics(received: delivery.count), redirects: plan.redirects)
        }
    }

    private func deliver(
        _ response: StubResponse, _ head: ResponseHead, to delivery: inout StubDelivery
    ) throws(HTTPError) {
        do throws(StubDelivery.Stop) { try delivery.take(response, head, token) } catch {
            switch error {
            case .limit(let limit, let bytes):
                throw .limitExceeded(LimitExceeded(limit, bytes: bytes, record: record(.receiving)))
            case .problem(let problem): throw .body(BodyFailure(problem, record: record(.receiving)))
            case .cancelled: throw .cancelled(record(.receiving))
            case .truncated(let reason):
                throw .truncatedBody(TruncatedBody(reason, received: delivery.count, record: record(.receiving)))
            }
        }
    }
}
