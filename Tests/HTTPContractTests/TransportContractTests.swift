import Dispatch
import HTTPCaching
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPSupport
import HTTPTesting
import Testing

@testable import HTTPContract

/// An engine that is a closure.
private struct OwnEngine: HTTPClient {
    let answer: @Sendable (Request) -> Result<Response, HTTPError>

    func executeRequest(_ request: Request) -> Result<Response, HTTPError> { answer(request) }
}

/// The verdicts of the contract on engines that violate it.
@Suite struct TransportContractTests {
    private static let mute = StubClient { .success(Response(request: $0, status: .ok)) }

    private func verdicts(_ contract: TransportContract, _ name: String) -> [TransportContract.Verdict] {
        contract.cases.filter { $0.name == name }.map(contract.verdict)
    }

    @Test func `a name identifies one case, and every group has cases`() {
        let cases = TransportContract.cases
        #expect(Set(cases.map(\.name)).count == cases.count)
        #expect(Set(cases.map(\.group)) == Set(TransportContract.Case.Group.allCases))
    }

    @Test func `a client that sends nothing fails, with the expectation and the received requests`() throws {
        let name = "a GET sends its target and headers and brings back status, headers and body"
        let contract = TransportContract("mute") { Self.mute }
        let behaviour = try #require(contract.cases.first { $0.name == name })
        let failure = try #require(throws: TransportContract.Failure.self) { try contract.check(behaviour) }
        #expect(failure.name == name)
        #expect(failure.expected == "the body hello" && failure.actual == "")
        #expect(failure.received == ["server 1: 0 connections and no request"])
        #expect("\(failure)".hasPrefix(name + "\n  expected: the body hello\n  came:"))
    }

    @Test func `a client that changes what it sends fails, and the report shows the change`() throws {
        let changing = CurlTransport().intercepted(by: .applying(.header("X-One", "2")))
        let contract = TransportContract("changing") { changing }
        let behaviour = try #require(contract.cases.first)
        let failure = try #require(throws: TransportContract.Failure.self) { try contract.check(behaviour) }
        #expect(failure.expected == #"X-One ["1"]"# && failure.actual == #"["2"]"#)
        #expect(failure.received.count == 1)
        #expect(failure.received.first?.contains("X-One: 2") == true)
    }

    @Test func `an excluded behaviour that does not hold is excluded`() throws {
        let name = "a POST without a body says that it is empty, and a GET says nothing of one"
        let contract = TransportContract("mute", excluding: [.init(name, because: "it is mute")]) { Self.mute }
        guard case .excluded("it is mute")? = verdicts(contract, name).first else {
            Issue.record("not excluded")
            return
        }
        try contract.check(try #require(contract.cases.first { $0.name == name }))
    }

    @Test func `an excluded behaviour that holds fails, unless it must not be run`() throws {
        let name = "a refusal is a response, not an error"
        for isTried in [true, false] {
            let contract = TransportContract("curl", excluding: [.init(name, because: "moon", isTried: isTried)]) {
                CurlTransport()
            }
            switch try #require(verdicts(contract, name).first) {
            case .fails(let failure): #expect(isTried && failure.actual.contains("remove the exclusion"))
            case .excluded: #expect(!isTried)
            case .passes: Issue.record("an exclusion that is ignored")
            }
        }
    }

    @Test func `an exclusion that names no case is a case that fails`() throws {
        for isTried in [true, false] {
            let exclusion = TransportContract.Exclusion("no such thing", because: "moon", isTried: isTried)
            let contract = TransportContract("curl", excluding: [exclusion]) { CurlTransport() }
            #expect(contract.cases.count == TransportContract.cases.count + 1)
            let stray = try #require(contract.cases.last)
            #expect(throws: TransportContract.Failure.self) { try contract.check(stray) }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `an engine that waits for ever fails, once the time of the case is over`() {
        let silent = TransportContract.Case(.errors, "a server is silent") { stage in
            let server = try stage.server { _ in .text("late").taking(.seconds(600)) }
            try stage.send(.get(server.url("/")) |> .idleTimeout(.seconds(600)))
        }
        let failure = #expect(throws: TransportContract.Failure.self) {
            try silent.check(within: .milliseconds(200)) { CurlTransport() }
        }
        #expect(failure?.actual.hasSuffix("(after 0.2 seconds its servers were stopped)") == true)
    }

    @Test(.timeLimit(.minutes(1))) func `a case whose time is over gets no further server to wait for`() throws {
        let silent = TransportContract.Case(.errors, "two servers are silent") { stage in
            for _ in 1...2 {
                let server = try stage.server { _ in .text("late").taking(.seconds(600)) }
                _ = try stage.failure(of: .get(server.url("/")) |> .timeout(.seconds(9)))
            }
        }
        let failure = try #require(throws: TransportContract.Failure.self) {
            try silent.check(within: .seconds(2)) { CurlTransport() }
        }
        #expect(failure.received.count == 1 && failure.received[0].contains("GET /"))
    }

    private func breach(
        of name: String, _ answer: @escaping @Sendable (Request) -> Result<Response, HTTPError>
    ) -> TransportContract.Failure? {
        let contract = TransportContract("own") { OwnEngine(answer: answer) }
        guard case .fails(let failure)? = verdicts(contract, name).first else { return nil }
        return failure
    }

    @Test func `an engine whose calls wait for one another fails, though all end`() throws {
        let (places, curl) = (DispatchSemaphore(value: 8), CurlTransport())
        let failure = breach(of: "a call that waits holds up no other") { request in
            places.wait()
            defer { places.signal() }
            return curl.executeRequest(request)
        }
        #expect(failure?.expected == "the body /slow" && failure?.actual == "held up")
    }

    @Test func `an engine that sends in the clear what TLS has refused fails`() throws {
        let name = "a server that breaks off the TLS handshake is a TLS failure, and gets no request"
        let curl = CurlTransport()
        let failure = breach(of: name) { request in
            let result = curl.executeRequest(request)
            let clear = MutableRequest.get("http://127.0.0.1:\(request.url.port)/") |> .bearer("secret")
            _ = curl.executeRequest(clear)
            return result
        }
        #expect(failure?.expected == "the number of requests 0" && failure?.actual == "1")
    }

    @Test func `an engine that believes any certificate fails`() throws {
        let name = "a certificate that nobody vouches for is refused, and the server gets no request"
        var configuration = CurlConfiguration()
        configuration.tls.unverifiedHosts = ["127.0.0.1"]
        let curl = try CurlTransport(configuration)
        let failure = breach(of: name) { curl.executeRequest($0) }
        #expect(failure?.expected == "an error" && failure?.received.first?.contains("GET /") == true)
    }

    @Test(arguments: [
        "a connection whose response was refused is not used again",
        "a sink that has seen enough ends the call, and that is no failure",
    ])
    func `an engine that reads a body whole before it passes it on fails`(name: String) {
        let curl = CurlTransport()
        let failure = breach(of: name) { request in
            curl.executeRequest(.get(request.url.string) |> .bodyLimit(.max) |> .idleTimeout(.milliseconds(500)))
        }
        #expect(failure?.actual.contains("no progress") == true)
    }

    @Test func `an engine with a cache of its own fails`() {
        let cached = CurlTransport().intercepted(by: .cache(.memory(megabytes: 1)))
        let failure = breach(of: "an answer that a cache may keep is asked for again") { cached.executeRequest($0) }
        #expect(failure?.expected == "If-None-Match [nil, nil]" && failure?.received.count == 1)
    }

    @Test func `a case whose server needs a library that is not there says nothing of the engine`() {
        let behaviour = TransportContract.Case(.errors, "a server is missing") { _ in
            let error = MockServerError.missingLibrary("OpenSSL", advice: "install it")
            throw ContractViolation("a server", "\(error)", obstacle: error)
        }
        let verdict = TransportContract("mute") { Self.mute }.verdict(on: behaviour)
        guard case .excluded("OpenSSL is not on this machine") = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test(arguments: [
        "the sink is called on the calling thread, and finished once", "the source is asked on the calling thread",
    ])
    func `an engine that makes its calls in a task fails`(name: String) async {
        let curl = CurlTransport()
        // Not on a thread that the task needs.
        let failure: TransportContract.Failure? = await withCheckedContinuation { continuation in
            _ = TestThread {
                let failure = breach(of: name) { request in
                    let (result, isOver) = (Locked<Result<Response, HTTPError>?>(nil), Signal())
                    let work: @Sendable () -> Void = {
                        let outcome = curl.executeRequest(request)
                        result.withLock { $0 = outcome }
                        isOver.fire()
                    }
                    Task { work() }
                    _ = isOver.wait()
                    return result.withLock(\.self) ?? .success(Response(request: request, status: .ok))
                }
                continuation.resume(returning: failure)
            }
        }
        #expect(failure?.actual == "another thread")
    }

    @Test func `a client that cannot be made fails the case`() throws {
        struct NoClient: Error {}
        let contract = TransportContract("none") { throw NoClient() }
        let failure = try #require(throws: TransportContract.Failure.self) {
            try contract.check(try #require(contract.cases.first))
        }
        #expect(failure.expected == "a client" && failure.actual == "NoClient()")
        let excluding = TransportContract("none", excluding: [.init(failure.name, because: "it is mute")]) {
            throw NoClient()
        }
        #expect(throws: TransportContract.Failure.self, "an exclusion does not cover it") {
            try excluding.check(try #require(excluding.cases.first))
        }
    }

    @Test func `a factory that gives one client for all fails, and the failure says so`() {
        let curl = CurlTransport()
        let failure = breach(of: "two clients have nothing to do with each other") { curl.executeRequest($0) }
        #expect(failure?.expected.contains("makeClient") == true && failure?.actual == "[1, 1]")
    }
}
