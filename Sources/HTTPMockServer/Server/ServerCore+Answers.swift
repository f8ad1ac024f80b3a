import HTTPCore
import HTTPTesting

extension ServerCore {
    /// What was scripted for `request`; the notes say so when it was nothing, or nothing that can be done.
    func answer(to request: ReceivedRequest, _ view: inout ServerScript.View) -> MockResponse {
        guard let answer = script.answer(to: request, &view) else {
            log.record(unscripted: request)
            return .text("nothing was scripted for \(request.method) \(request.target)\n", status: .notFound)
        }
        return possible(answer, for: request)
    }

    /// `answer`, or one that says why it cannot be given over the version of `request`.
    func possible(_ answer: MockResponse, for request: ReceivedRequest) -> MockResponse {
        guard let problem = answer.problem(overHTTP2: request.stream != nil) else { return answer }
        log.record(misuse: "the answer to \(request.method) \(request.target): \(problem)")
        return .text("\(problem)\n", status: 500)
    }
}
