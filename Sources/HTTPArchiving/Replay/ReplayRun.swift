import HTTPEngine
import HTTPFoundation
import HTTPSupport
import HTTPTesting

/// One call answered from an archive. The shared code of all transports decides redirects and cookies.
struct ReplayRun {
    enum Outcome {
        case done(Result<Response, HTTPError>)
        /// The archive has no answer.
        case unanswered(NotRecorded)
    }

    private static let pieceSize = 64 << 10

    let player: ArchivePlayer
    private let clock: CallClock
    private let start: TimePoint
    private let deadline: CallDeadline?
    private let mayBeSent: Bool
    private var plan: CallPlan
    private var taken: [Int] = []
    /// The entry that refused an expectation. It is the result of its call: how the server answered the request without the
    /// expectation.
    private var refusal: Int?

    /// `mayBeSent`: Whether a request without an answer is sent to another client.
    init(_ request: Request, _ player: ArchivePlayer, by clock: CallClock, mayBeSent: Bool = false) {
        self.mayBeSent = mayBeSent
        self.player = player
        self.clock = clock
        start = clock.now()
        deadline = clock.deadline(of: request.timeouts, from: start)
        plan = CallPlan(request)
    }

    mutating func outcome() -> Outcome {
        while true {
            if let token = CancellationToken.current, token.isCancelled { return .done(.failure(.cancelled(record()))) }
            let now = clock.now()
            if let deadline, deadline.point <= now {
                return .done(.failure(.timedOut(deadline, record())))
            }
            plan.begin(after: start.duration(to: now), timeLeft: deadline.map { now.duration(to: $0.point) })
            let asked: HTTPArchive.Request
            do { asked = try player.asked(plan.sent, mayBeSent: mayBeSent) } catch {
                return fail(with: .body(BodyFailure(error, record: record(.sending))))
            }
            let find = refusal.map { .again($0) } ?? player.take(asked)
            if case .entry(let index) = find { taken.append(index) }
            switch find {
            case .entry(let index), .again(let index): if let outcome = answer(from: index) { return outcome }
            case .usedUp, .nothing:
                return unanswered(player.failure(of: plan.request, asked, find))
            }
        }
    }

    /// Nil if the response is a redirect that is followed.
    private mutating func answer(from index: Int) -> Outcome? {
        let recorded = player.entries[index].response
        guard recorded.status > 0 else {
            let failure = recorded.failure ?? HTTPArchive.Failure(browserError: recorded.error ?? "")
            return fail(with: failure.error(plan.request, redirects: plan.redirects))
        }
        let replayed = ReplayedResponse(recorded: recorded, to: plan.request)
        let hasBody = plan.request.method != .head && replayed.status != 204 && replayed.status != 304
        let body = hasBody ? replayed.body : Data()
        let head: ResponseHead
        do {
            head = try ResponseHead(
                version: replayed.version, status: HTTPStatus(replayed.status), reason: replayed.reason,
                headers: replayed.headers(bodyLength: hasBody ? body?.count : nil))
        } catch { return fail(with: .protocolViolation(ProtocolViolation(error.reason, record: record()))) }
        if isRefusal(head, recorded) {
            let reason = RedirectFailure.Reason.badLocation("was refused when it was recorded")
            return fail(with: .redirect(RedirectFailure(reason, status: head.status, record: record(.receiving))))
        }
        guard body != nil || plan.isFollowedRedirect(head) else { return missingBody(of: replayed, index) }
        do throws(HTTPError) {
            return try deliver(body ?? Data(), behind: head, of: replayed).map { .done(.success($0)) }
        } catch { return fail(with: error) }
    }

    /// Whether the recorded call failed because of a Location that is no valid URL. The recording does not have it.
    private func isRefusal(_ head: ResponseHead, _ recorded: HTTPArchive.Response) -> Bool {
        recorded.error != nil && !head.headers.contains("Location")
            && RedirectDecision.isFollowedRedirect(head.status, ["Location": "/"], answering: plan.request)
    }

    /// Delivers a response as a transport does: to memory or a sink, within the limits of the request.
    private mutating func deliver(
        _ body: Data, behind head: ResponseHead, of replayed: ReplayedResponse
    ) throws(HTTPError) -> Response? {
        var receiver = ResponseReceiver()
        receiver.begin(plan.answered)
        defer { receiver.end() }
        let pieces = stride(from: 0, to: body.count, by: Self.pieceSize).map {
            body.dropFirst($0).prefix(Self.pieceSize)
        }
        let trailers = try receiver.receive(
            head, length: head.isEncoded ? nil : head.contentLength, pieces, trailers: replayed.trailers,
            under: CancellationToken.current
        ) { record(.receiving) }
        let received = record()
        switch plan.advance(after: .answered(head), record: { _ in received }) {
        case .send:
            if head.status == 417 { refusal = taken.last }
            return nil
        case .fail(let error): throw error
        case .deliver:
            var metrics = received.metrics
            metrics.total = start.duration(to: clock.now())
            return receiver.response(of: plan, trailers: trailers, metrics: metrics)
        }
    }

    private mutating func missingBody(of replayed: ReplayedResponse, _ index: Int) -> Outcome {
        let content = replayed.recorded.content
        return unanswered(
            NotRecorded(
                request: plan.request, nearest: player.entries[index],
                sentence: "\(player.name) is incomplete: entry \(index), the answer to \(plan.request),"
                    + " has a body of \(content.size) bytes that was not kept"
                    + "\(content.comment.map { " (\($0))" } ?? ""); record it with its content"))
    }

    // Each exchange that has begun also ends for its observer.

    private mutating func unanswered(_ failure: NotRecorded) -> Outcome {
        player.giveBack(taken)
        plan.fail(with: .other(failure))
        return .unanswered(failure)
    }

    private mutating func fail(with error: HTTPError) -> Outcome {
        plan.fail(with: error)
        return .done(.failure(error))
    }

    private func record(_ phase: CallActivity = .starting) -> CallRecord {
        var metrics = Metrics(attemptCount: 0)
        plan.complete(&metrics)
        return CallRecord(plan.request, phase: phase, metrics: metrics, redirects: plan.redirects)
    }
}
