import HTTPPolicies
import HTTPCore
import HTTPTesting
import Testing

/// Failures by name.
@Suite struct StubFailureTests {
    private static let url = "https://api.example.com:8443/users/7?token=s3cret"

    /// The cases of `HTTPError`. A new one does not compile until it is listed here, and then fails the test below
    /// until a failure makes it.
    private enum Case: CaseIterable {
        case invalidRequest, unsupported, cancelled, timedOut, resolution, destinationRefused,
            connection, tls, protocolViolation
        case truncatedBody, limitExceeded, body, interceptor, redirect, unacceptableStatus, decoding, other

        init(_ error: HTTPError) {
            self =
                switch error {
                case .invalidRequest: .invalidRequest
                case .unsupported: .unsupported
                case .cancelled: .cancelled
                case .timedOut: .timedOut
                case .resolution: .resolution
                case .destinationRefused: .destinationRefused
                case .connection: .connection
                case .tls: .tls
                case .protocolViolation: .protocolViolation
                case .truncatedBody: .truncatedBody
                case .limitExceeded: .limitExceeded
                case .body: .body
                case .interceptor: .interceptor
                case .redirect: .redirect
                case .unacceptableStatus: .unacceptableStatus
                case .decoding: .decoding
                case .other: .other
                }
        }
    }

    private func error(_ failure: StubFailure, _ steps: RequestStep = .none) throws -> HTTPError {
        let stub = StubClient(strict: true).on(.get, "/users/{id}", answer: .failure(failure))
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.url, steps) }
        try stub.verify()
        return error
    }

    @Test func `there is a failure for every case of HTTPError`() throws {
        let made = try Set(StubFailure.all.map { try Case(error($0)) })
        #expect(made == Set(Case.allCases))
    }

    @Test(arguments: StubFailure.all)
    func `each names the failed request and no secret`(failure: StubFailure) throws {
        let error = try error(failure)
        #expect(!"\(error)".contains("s3cret"))
        switch error {
        case .unsupported: #expect(error.record == nil)
        case .invalidRequest(let invalid): #expect(invalid.url.hasPrefix("https://api.example.com:8443/users/7"))
        case .unacceptableStatus(let response): #expect(response.url.string == Self.url)
        case .decoding(let failure): #expect(failure.response.url.string == Self.url)
        default:
            let record = try #require(error.record)
            #expect(record.authority == "api.example.com:8443")
            #expect(record.url == "https://api.example.com:8443/users/7?token=<redacted>")
            #expect("\(error)".contains("api.example.com:8443"))
        }
    }

    @Test(
        arguments: [
            (.unknownHost, .resolving, #"the host "api.example.com" has no address"#),
            (.connection(.refused), .connecting, "nothing accepts connections at api.example.com:8443"),
            (.connection(.proxy), .connecting, "the proxy did not open a connection to api.example.com:8443"),
            (.tls(.expired), .securing, "the certificate of api.example.com:8443 has expired"),
            (
                .connection(.closedBeforeResponse), .waiting,
                "api.example.com:8443 closed the connection before it answered"
            ),
            (.connection(.broken), .receiving, "the connection broke while receiving from api.example.com:8443"),
            (.truncatedBody(), .receiving, "ended after 400 of 1000 bytes"),
            (.timedOut(.connect), .connecting, "there was no connection within 10 s"),
            (.timedOut(.idle), .waiting, "there was no progress for 30 s"),
        ] as [(StubFailure, CallActivity, String)])
    func `the error is the same as that of a transport`(
        failure: StubFailure, phase: CallActivity, words: String
    ) throws {
        let error = try error(failure)
        #expect(error.record?.phase == phase)
        #expect("\(error)".contains(words), "\(error)")
    }

    @Test func `a timeout is the request's, and takes its time`() throws {
        let stub = StubClient().on(.get, "/a", answer: .failure(.timedOut(.connect)))
        let error = try #require(throws: HTTPError.self) {
            try stub.get("https://api.example.com/a", .connectTimeout(.seconds(3)))
        }
        guard case .timedOut(let failure) = error else { throw error }
        #expect(failure.duration == .seconds(3))
        #expect(stub.time.elapsed == .seconds(3))
        guard case .limitExceeded(let limit) = try self.error(.limitExceeded(.body), .bodyLimit(10)) else {
            throw error
        }
        #expect(limit.value == 10)
    }

    @Test(arguments: [TimeoutFailure.Limit.connect, .idle])
    func `a timeout that the whole call has no time for is that of the call`(limit: TimeoutFailure.Limit) throws {
        let stub = StubClient().on(.get, "/a", answer: .failure(.timedOut(limit)))
        let error = try #require(throws: HTTPError.self) {
            try stub.get("https://api.example.com/a", .timeout(.seconds(5)))
        }
        guard case .timedOut(let failure) = error else { throw error }
        #expect(failure.limit == .total && failure.duration == .seconds(5))
        #expect(failure.phase == (limit == .connect ? .connecting : .waiting))
        #expect(stub.time.elapsed == .seconds(5))
    }

    @Test func `a retry repeats only failures that may pass`() throws {
        let transient = StubFailure.all.filter { failure in
            let stub = StubClient().on(.get, "/a", answer: .failure(failure).then(.ok))
            let policy = RetryPolicy(backoff: Backoff(base: .zero))
            _ = stub.intercepted(by: .retry(policy)).executeRequest(
                .get("https://api.example.com/a") |> .timeout(.seconds(300)))
            return stub.requestCount == 2
        }
        #expect(
            transient.map(\.description) == [
                "timedOut(connect)", "timedOut(idle)", "unknownHost", "connection(refused)", "connection(unreachable)",
                "connection(closedBeforeResponse)", "connection(broken)", "truncatedBody",
                "unacceptableStatus(500)",
            ])
    }

    @Test func `any other error can be given directly, or made from the request`() throws {
        let exact = HTTPError.unsupported(Unsupported("a", "b"))
        let stub = StubClient()
            .on(.get, "/a", answer: .error(exact))
            .on(.get, "/c", answer: .failure(StubFailure { .unsupported(Unsupported("\($0.url.path)", "c")) }))
        for (path, words) in [("a", "a cannot be used: b"), ("c", "/c cannot be used: c")] {
            let error = try #require(throws: HTTPError.self) { try stub.get("https://api.example.com/\(path)") }
            #expect(error.description == words)
        }
        let refusing = StubClient.failing(.connection(.refused))
        #expect(throws: HTTPError.self) { try refusing.get("https://x.example/") }
        #expect(refusing.requestCount == 1)
        #expect(throws: HTTPError.self) { try StubClient.failing(error: exact).get("https://x.example/") }
    }
}
