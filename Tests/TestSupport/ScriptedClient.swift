import HTTPSupport
import HTTPCore

/// Answers calls from a list, repeating the last entry, and records the requests.
package final class ScriptedClient: HTTPClient {
    package typealias Answer = @Sendable (Request) -> Result<Response, HTTPError>

    private let state: Locked<(answers: [Answer], requests: [Request], deadlines: [CallDeadline?])>

    package init(_ answers: Answer...) { state = Locked((answers, [], [])) }

    package var requests: [Request] { state.withLock { $0.requests } }
    /// The deadlines around the calls.
    package var deadlines: [CallDeadline?] { state.withLock { $0.deadlines } }

    @available(*, noasync)
    package func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let deadline = CallDeadline.current
        let answer: Answer? = state.withLock { state in
            state.requests.append(request)
            state.deadlines.append(deadline)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first
        }
        return answer?(request) ?? .failure(.unsupported(Unsupported("a call without an answer", "script one")))
    }

    package static func status(_ status: HTTPStatus, _ headers: HTTPHeaders = [:]) -> Answer {
        { .success(Response(request: $0, status: status, headers: headers)) }
    }

    package static func broken(_ reason: ConnectionFailure.Reason = .broken) -> Answer {
        { .failure(.connection(ConnectionFailure(reason, mayHaveBeenProcessed: true, record: CallRecord($0)))) }
    }
}
