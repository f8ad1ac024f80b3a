import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import TestSupport
import Testing

import HTTPAsync

/// Calls that wait for a suspending refresh, and the call of the refresh, which goes to the same host. `make soak` takes 100
/// rounds of each, `make test` 25.
@Suite(.timeLimit(.minutes(5))) struct RefreshSlotTests {
    private static let callers = 10

    /// The client of the calls; the refresh calls the client without its interceptors.
    enum Stack: CaseIterable, Sendable {
        case plain, behindClosure, behindSuspending, aroundClosure, stubbed, stubbedBehindClosure

        func around(_ base: any HTTPClient, _ tokens: BearerTokens) -> any HTTPClient {
            let timed = Interceptor { request, next in next.executeRequest(request) }
            let suspending = Interceptor { request, next in try await next.send(MutableRequest(request)) }
            return switch self {
            case .plain, .stubbed: base.intercepted(by: .bearer(tokens))
            case .behindClosure, .stubbedBehindClosure: base.intercepted(by: timed, .bearer(tokens))
            case .behindSuspending: base.intercepted(by: timed, suspending, .bearer(tokens))
            case .aroundClosure: base.intercepted(by: .bearer(tokens), timed)
            }
        }

        var isStubbed: Bool { self == .stubbed || self == .stubbedBehindClosure }
        var rounds: Int { Soak.count(100, or: 25) }
    }

    @Test(arguments: Stack.allCases)
    func `a refresh that calls the same host gets its turn, however many calls wait for it`(stack: Stack) async throws {
        let dispatcher = Dispatcher()
        let server =
            stack.isStubbed
            ? nil
            : try MockServer(recording: .none) { request in
                request.path == "/token"
                    ? .text("new") : .status(request.headers["Authorization"] == "Bearer new" ? .ok : .unauthorized)
            }
        let stub = StubClient(base: "http://a.example")
            .on(.post, "/token", answer: .text("new"))
            .on(.get, "/news") { request in .status(request.headers["Authorization"] == "Bearer new" ? 200 : 401) }
        let base: any HTTPClient = stack.isStubbed ? stub : CurlTransport()
        let url = server?.url ?? "http://a.example"
        for _ in 0..<stack.rounds {
            let refreshes = Locked(0)
            let tokens = BearerTokens("old") { _ in
                refreshes.withLock { $0 += 1 }
                return try await base.send(.post("\(url)/token"), on: dispatcher).text()
            }
            let client = stack.around(base, tokens)
            let statuses = try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask {
                        try await client.send(.get("\(url)/news") |> .timeout(.seconds(20)), on: dispatcher).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            guard statuses == Array(repeating: .ok, count: Self.callers) else {
                Issue.record("\(statuses)")
                return
            }
            #expect(refreshes.withLock { $0 } == 1)
        }
    }
}
