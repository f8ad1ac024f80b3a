import HTTPCore
import HTTPTesting

extension ServerCore {
    /// The scripted answer to `request`. The log records if there is none, or if it is not possible.
    func answer(to request: ReceivedRequest, _ view: inout ServerScript.View) -> MockResponse {
        guard let answer = script.answer(to: request, &view) else {
            log.record(unscripted: request)
            return .text("nothing was scripted for \(request.method) \(request.target)\n", status: .notFound)
        }
        return possible(answer, for: request)
    }

    /// `answer`, or a 500 that says why it is not possible over this version.
    func possible(_ answer: MockResponse, for request: ReceivedRequest) -> MockResponse {
        guard let problem = answer.problem(overHTTP2: request.stream != nil) else { return answer }
        log.record(misuse: "the answer to \(request.method) \(request.target): \(problem)")
        return .text("\(problem)\n", status: 500)
    }
}
