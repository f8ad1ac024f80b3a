import HTTPPolicies
import HTTPSupport
import HTTPCore
import TestSupport
import Testing

import HTTPAsync

/// A task that a refresh begins, and that outlives it.
@Suite(.timeLimit(.minutes(5))) struct RefreshTaskTests {
    @Test(arguments: [false, true])
    func `its calls are no part of a refresh that has ended, and refresh like others`(suspends: Bool) async throws {
        let (valid, refreshes, gate) = (Locked("new-1"), Locked(0), Event())
        let task = Locked<Task<HTTPStatus, any Error>?>(nil)
        let seen = Locked<[(token: String?, allowance: Duration?)]>([])
        let server = ScriptedClient({ request in
            let token = request.headers["Authorization"]
            seen.withLock { $0.append((token, CallDeadline.current?.allowance)) }
            let isValid = token == "Bearer " + valid.withLock { $0 }
            return .success(Response(request: request, status: isValid ? .ok : .unauthorized))
        })
        let client = Locked<(any HTTPClient)?>(nil)
        let request = MutableRequest.get("http://a.example/news") |> .timeout(nil)
        let refresh = { @Sendable () -> String in
            let number = refreshes.withLock { count in
                count += 1
                return count
            }
            if number == 1 {
                task.withLock { task in
                    task = Task {
                        await gate.happened()
                        let client = try #require(client.withLock { $0 })
                        return try await client.send(request).status
                    }
                }
            }
            return "new-\(number)"
        }
        let tokens =
            suspends
            ? BearerTokens("old") { _ in
                await Task.yield()
                return refresh()
            } : BearerTokens("old") { _ in refresh() }
        let authorized = server.intercepted(by: .bearer(tokens))
        client.withLock { $0 = authorized }
        defer { client.withLock { $0 = nil } }
        #expect(try await authorized.send(request).status == .ok)
        valid.withLock { $0 = "new-2" }
        gate.signal()
        #expect(try await task.withLock { $0 }?.value == .ok)
        #expect(
            seen.withLock { $0.map(\.token) } == ["Bearer old", "Bearer new-1", "Bearer new-1", "Bearer new-2"])
        // A suspending refresh ends by being cancelled; it has no deadline that its tasks could inherit.
        if suspends { #expect(seen.withLock { $0.map(\.allowance) } == [nil, nil, nil, nil]) }
    }
}
