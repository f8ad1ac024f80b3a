import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPObservability
import TestSupport
import Testing

/// Events of calls over a wire.
extension EventTests {
    @Test func `the event of an attempt has the redirect that the history has, whoever drives the call`() async throws {
        let server = try MockServer { request in
            request.path == "/b" ? .text("x") : .redirect(to: "/b", status: .seeOther)
        }
        let events = Notes<CallEvent>()
        let client = CurlTransport().intercepted(by: .observing { events.note($0) })
        let request = try Request(.post(server.url("/a")) |> .text("hello"))
        let blocking = try await Dispatcher.shared.run {
            [client.executeRequest(request)] + client.executeRequests([request])
        }
        let histories = try blocking.map { try $0.get().history } + [await client.send(request).history]
        #expect(histories.count == 3)
        let told = events.all.compactMap { event in
            if case .attemptFinished(let attempt, let id) = event { (id, attempt.redirect) } else { nil }
        }
        for history in histories {
            let redirects = told.filter { $0.0.call == history.id }.map(\.1)
            #expect(redirects == history.attempts.map(\.redirect))
            #expect(redirects.map { $0?.location } == [server.url("/b"), nil] && redirects.first??.method == .get)
        }
        #expect(server.requests.map(\.method) == [.post, .get, .post, .get, .post, .get])
    }
}
