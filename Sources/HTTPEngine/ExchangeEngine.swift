@_exported public import HTTPCore
internal import HTTPFoundation
import HTTPSupport

/// An engine of your own: it performs one exchange after the other, and the rest of a call is done around it.
///
///     struct PipeEngine: ExchangeEngine {
///         func perform(_ exchange: inout Exchange) throws(ExchangeEnd) {
///             exchange.enter(.sending)
///             …                                       // write exchange.request, and its body by readBody(atMost:)
///             exchange.enter(.waiting)
///             let framing = try exchange.receive(head: bytes)
///             try exchange.receive(body)
///         }
///     }
///
/// Redirects, cookies, the transparent retry, limits, deadlines, cancellation, destinations of bodies, progress, observers
/// and metrics are those of every engine of this package. So are refusals: requests with trailer fields or a wait for 100
/// Continue are `.unsupported`, and so are those of a service whose TLS settings differ from `tls`.
///
/// Awaited, such a call takes a thread of the dispatcher. `TransportContract` in HTTPContract says what an engine has to
/// hold.
public protocol ExchangeEngine: HTTPClient {
    /// What it applies to TLS; by default what `TLSConfiguration(environment: [:])` says.
    var tls: TLSConfiguration { get }

    /// Sends the request of `exchange`, gives it what the server sends, and returns at the end of the response.
    ///
    /// It is called on the thread of the call, once for each redirect and retry, and blocks. Whatever `exchange` throws
    /// must leave this function: some of it is not a failure.
    func perform(_ exchange: inout Exchange) throws(ExchangeEnd)
}

extension ExchangeEngine {
    /// No certificates, pins or authorities of its own.
    public var tls: TLSConfiguration { TLSConfiguration(environment: [:]) }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        var unread: UploadStream?
        return EngineCall.run(request) { plan, call throws(HTTPError) in try next(&plan, &unread, in: call) }
    }

    /// Performs the next exchange of the plan. Nil when another follows, which sends `unread`, if that was opened before.
    private func next(
        _ plan: inout CallPlan, _ unread: inout UploadStream?, in call: EngineCall
    ) throws(HTTPError) -> Response? {
        let start = plan.attempts == 0 ? call.start : .now
        if let unsupported = refusal(of: plan.request) { throw .unsupported(unsupported) }
        plan.begin(after: call.start.duration(to: start), timeLeft: call.deadline.map { start.duration(to: $0.point) })
        var exchange = Exchange(plan, in: call, from: start, sending: unread.take())
        let outcome = exchange.outcome { (exchange) throws(ExchangeEnd) in try perform(&exchange) }
        if case .unfit = outcome { unread = exchange.unread }
        defer { exchange.end() }
        switch plan.advance(after: outcome, record: { exchange.record(of: $0) }) {
        case .send: return nil
        case .fail(let error): throw error
        case .deliver: return exchange.response(of: plan)
        }
    }

    private func refusal(of request: Request) -> Unsupported? {
        if let unsupported = request.requiredTLS?.refusal(of: tls, for: request.origin.host) { return unsupported }
        if request.trailers != nil {
            return Unsupported("trailer fields after a body", "\(Self.self) does not send them")
        }
        guard request.continueWait == nil else {
            return Unsupported("waiting for 100 Continue", "\(Self.self) does not do it")
        }
        return nil
    }
}

/// The constants of a call that blocks its thread.
package struct EngineCall {
    package let start = TimePoint.now
    package let deadline: CallDeadline?
    package let token = CancellationToken.current

    package init(_ timeouts: Timeouts) { deadline = timeouts.deadline(from: start) }

    package var isCancelled: Bool { token?.isCancelled ?? false }

    /// Makes a call by one exchange after the other. `exchange` returns nil when another follows.
    @available(*, noasync)
    package static func run(
        _ request: Request, by exchange: (inout CallPlan, EngineCall) throws(HTTPError) -> Response?
    ) -> Result<Response, HTTPError> {
        PoolThreadReport.note("\(request)")
        return request.withinTimeout {
            let call = EngineCall(request.timeouts)
            var plan = CallPlan(request)
            do throws(HTTPError) {
                while !call.isCancelled { if let response = try exchange(&plan, call) { return .success(response) } }
                throw HTTPError.cancelled(plan.unsentRecord(since: call.start))
            } catch {
                plan.fail(with: error)
                return .failure(error)
            }
        }
    }
}
