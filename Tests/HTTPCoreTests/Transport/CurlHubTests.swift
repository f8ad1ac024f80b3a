#if canImport(CLibcurl)
import Testing

@testable import HTTPCore

/// The transfers of a hub. None of them is run.
@Suite struct CurlHubTests {
    private let hub: CurlHub
    private let key: CurlTransfer.Key

    init() throws {
        hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        key = CurlTransfer.Key(origin: try Request(.get("http://localhost/")).url.origin, version: .automatic)
    }

    private var now: TimePoint { .now }

    @Test func `a transfer that is given back is used again`() throws {
        let transfer = try hub.transfer(for: key, active: 1)
        hub.keep(transfer, at: now)
        #expect(try hub.transfer(for: key, active: 1) === transfer)
        #expect(try hub.transfer(for: key, active: 1) !== transfer)
    }

    @Test func `transfers of a crowd are frugal, and go with the crowd`() throws {
        let usual = try hub.transfer(for: key, active: 1000)
        let frugal = try hub.transfer(for: key, active: 1001)
        #expect(!usual.isFrugal)
        #expect(frugal.isFrugal)
        #expect(hub.isFit(frugal, active: 1001) && hub.isFit(usual, active: 1001))
        #expect(!hub.isFit(frugal, active: 1000) && hub.isFit(usual, active: 1000))
        hub.keep(frugal, at: now)
        #expect(try hub.transfer(for: key, active: 1) !== frugal)
        hub.keep(usual, at: now)
        #expect(try hub.transfer(for: key, active: 1001) === usual)
    }
}
#endif
