import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

@testable import HTTPContract

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
        #expect(throws: TransportContract.Failure.self) {
            try silent.check(within: .milliseconds(200)) { CurlTransport() }
        }
    }

    @Test func `a client that cannot be made fails the case`() throws {
        struct NoClient: Error {}
        let contract = TransportContract("none") { throw NoClient() }
        let failure = try #require(throws: TransportContract.Failure.self) {
            try contract.check(try #require(contract.cases.first))
        }
        #expect(failure.expected == "a client" && failure.actual == "NoClient()")
    }
}
