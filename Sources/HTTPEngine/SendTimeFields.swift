/// Header fields whose values are only known at the moment of sending, and differ from attempt to attempt.
struct SendTimeFields {
    let context: TraceContext?
    let deadline: DeadlineHeader?
    let timeLeft: Duration?

    /// The request with them in place of its own; nil where there are none.
    func added(to request: Request) -> Request? {
        var headers = request.headers
        if let context {
            headers.set(context.traceparent, for: "traceparent")
            headers.removeAll(named: "tracestate")
            if !context.state.isEmpty { headers.set(context.state, for: "tracestate") }
        }
        if let deadline, let timeLeft { headers.set(deadline.value(timeLeft), for: deadline.name) }
        guard context != nil || (deadline != nil && timeLeft != nil) else { return nil }
        return Request(request, method: request.method, url: request.url, headers: headers, body: request.body)
    }
}
