import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPTesting
import Testing

import HTTPAsync

/// A suspending refresh that does not return.
@Suite(.timeLimit(.minutes(5))) struct RefreshTimeoutTests {
    @Test(arguments: [false, true])
    func `it ends at its timeout, all calls get its error, and the next one refreshes again`(isBlocking: Bool)
        async throws
    {
        let refreshes = Locked(0)
        let gate = Event()
        defer { gate.signal() }
        let stub = StubClient().on(.get, "/news") { request in
            request.headers["Authorization"] == "Bearer new" ? .text("ok") : .status(401)
        }
        let tokens = BearerTokens("old", refreshTimeout: .milliseconds(200)) { _ in
            let number = refreshes.withLock { count in
                count += 1
                return count
            }
            // Not even cancelling ends it.
            if number == 1 { await gate.happened() }
            return number == 1 ? "late" : "new"
        }
        let client = stub.intercepted(by: .bearer(tokens))
        let request = MutableRequest.get("http://a.example/news") |> .timeout(nil)
        let outcomes = await withTaskGroup(of: Result<Response, HTTPError>.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    if isBlocking { return await onThread { client.executeRequest(request) } }
                    do throws(HTTPError) { return .success(try await client.send(request)) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for outcome in outcomes {
            guard case .failure(.timedOut(let failure)) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(failure.duration == .milliseconds(200) && failure.phase == .authorizing)
            let text = "\(HTTPError.timedOut(failure))"
            #expect(text.contains("refresh") && text.contains("refreshTimeout"), "\(text)")
        }
        #expect(refreshes.withLock { $0 } == 1)
        #expect(try await client.send(request).status == .ok)
        #expect(refreshes.withLock { $0 } == 2 && tokens.current == "new")
    }

    @Test func `it may have as long as it likes`() async throws {
        let stub = StubClient().on(.get, "/news", answer: .ok)
        let tokens = BearerTokens(refreshTimeout: .seconds(Int64.max)) { _ in
            // The timer is set meanwhile.
            try await Task.sleep(for: .milliseconds(50))
            return "new"
        }
        let response = try await stub.intercepted(by: .bearer(tokens)).send(.get("http://a.example/news"))
        #expect(response.request.headers["Authorization"] == "Bearer new")
    }
}
