import HTTPCore
import HTTPTesting
import HTTPURLSession
import Testing

/// The wire behaviours of both engines, from one list.
@Suite struct TransportContractTests {
    static let shared =
        ExchangeContract.cases + RedirectContract.cases + TimeoutContract.cases + CancellationContract.cases
        + LimitContract.cases + UploadContract.cases + DestinationContract.cases + FaultContract.cases

    /// What URLSession on Linux does not hold, each with its reason.
    static let excluded: [(reason: String, cases: [ContractCase])] = [
        ("nothing tells when a connection stands", TimeoutContract.connectionCases),
        ("the engine decodes and has no word for a coded body that breaks off", LimitContract.codingCases),
        ("a source is read to its end before anything is sent", UploadContract.streamingCases),
        ("the engine traps on trailer fields, which ends the process", FaultContract.trailerCases),
    ]

    @Test(arguments: shared) func `URLSession: `(behaviour: ContractCase) throws {
        try behaviour.check(URLSessionTransport())
    }

    @Test(arguments: shared + excluded.flatMap(\.cases)) func `libcurl: `(behaviour: ContractCase) throws {
        try behaviour.check(CurlTransport())
    }

    @Test func `silence from the start ends after connecting and idle time together`() throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        let start = ContinuousClock.now
        let draft =
            MutableRequest.get(server.url) |> .connectTimeout(.milliseconds(60)) |> .idleTimeout(.milliseconds(90))
        let error = try URLSessionTransport().executeRequest(draft).error()
        guard case .timedOut(let failure) = error else { throw error }
        #expect(failure.limit == .idle && failure.duration == .milliseconds(150))
        #expect(start.duration(to: .now) >= .milliseconds(150))
        try server.waitForConnectionClosed(1)
    }
}
