import HTTPCore
import HTTPEngine

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One call answered from an archive. The shared code of all transports decides redirects and cookies.
struct ReplayRun {
    enum Outcome {
        case done(Result<Response, HTTPError>)
        /// The archive has no answer, for this reason.
        case unanswered(Unsupported)
    }

    let player: ArchivePlayer
    private let start = ContinuousClock.now
    private let mayBeSent: Bool
    private var plan: CallPlan
    private var taken: [Int] = []

    /// `mayBeSent`: Whether a request without an answer is sent to another client.
    init(_ request: Request, _ player: ArchivePlayer, mayBeSent: Bool = false) {
        self.mayBeSent = mayBeSent
        self.player = player
        plan = CallPlan(request)
    }

    mutating func outcome() -> Outcome {
        while true {
            if let token = CancellationToken.current, token.isCancelled { return .done(.failure(.cancelled(record))) }
            plan.begin(after: start.duration(to: .now), timeLeft: nil)
            let asked = player.asked(plan.sent, mayBeSent: mayBeSent)
            let find = player.take(asked)
            guard case .entry(let index) = find else {
                player.giveBack(taken)
                return .unanswered(UnansweredRequest(asked: asked, find: find, player: player).failure)
            }
            taken.append(index)
            if let outcome = answer(from: index) { return outcome }
        }
    }

    /// Nil if the response is a redirect that is followed.
    private mutating func answer(from index: Int) -> Outcome? {
        let recorded = player.entries[index].response
        guard recorded.status > 0 else {
            let failure = recorded.failure ?? HTTPArchive.Failure(browserError: recorded.error ?? "")
            let error = failure.error(plan.request, redirects: plan.redirects)
            plan.fail(with: error)
            return .done(.failure(error))
        }
        let replayed = ReplayedResponse(recorded: recorded, to: plan.request)
        let body = replayed.body
        let hasBody = plan.request.method != .head && replayed.status != 204 && replayed.status != 304
        let head: ResponseHead
        do {
            head = try ResponseHead(
                version: replayed.version, status: HTTPStatus(replayed.status),
                headers: replayed.headers(bodyLength: hasBody ? body?.count : nil))
        } catch {
            let violation = ProtocolViolation(error.reason, record: record)
            return .done(.failure(.protocolViolation(violation)))
        }
        let record = record
        switch plan.advance(after: .answered(head), record: { _ in record }) {
        case .send: return nil
        case .fail(let error): return .done(.failure(error))
        case .deliver: return deliver(head, replayed, hasBody ? body : Data(), index)
        }
    }

    private func deliver(_ head: ResponseHead, _ replayed: ReplayedResponse, _ body: Data?, _ index: Int) -> Outcome {
        guard let body else {
            let size = replayed.recorded.content.size
            return .unanswered(
                Unsupported(
                    player.name,
                    "entry \(index), the answer to \(plan.request), has a body of \(size) bytes that was"
                        + " not kept\(replayed.recorded.content.comment.map { " (\($0))" } ?? "");"
                        + " record it with its content"))
        }
        let delivery = ReplayDelivery(
            request: plan.answered, head: head, reason: replayed.reason, trailers: replayed.trailers,
            body: body, plan: plan, start: start)
        return .done(Result { () throws(HTTPError) in try delivery.response() })
    }

    private var record: CallRecord {
        var metrics = Metrics.replayed
        plan.complete(&metrics)
        return CallRecord(plan.request, metrics: metrics, redirects: plan.redirects)
    }
}
