import HTTPContract
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The wire behaviours of both engines, from one list.
@Suite struct TransportContractTests {
    @Test(arguments: Engines.curl.cases)
    func `CurlTransport: `(behaviour: TransportContract.Case) throws { try Engines.curl.check(behaviour) }

    @Test(arguments: Engines.urlSession.cases)
    func `URLSessionTransport: `(behaviour: TransportContract.Case) throws { try Engines.urlSession.check(behaviour) }

    @Test func `CurlTransport holds all of it`() { #expect(Engines.curl.exclusions.isEmpty) }
}
