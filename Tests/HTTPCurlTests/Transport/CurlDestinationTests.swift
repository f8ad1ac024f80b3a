import HTTPEngine

#if canImport(CLibcurl)
import CLibcurl
import HTTPMockServer
import Testing

import HTTPCore
@testable import HTTPCurl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The decisions of libcurl's callbacks under a policy. No socket is opened.
@Suite struct CurlDestinationTests {
    /// The `sockaddr` of an address: family and port, flow if there is one, the address, and zeros.
    private static func name(_ text: String) -> [UInt8] {
        let address = IPAddress.bytes(of: text) ?? []
        return [0, 0, 0, 80] + (address.count == 16 ? [0, 0, 0, 0] : []) + address + Array(repeating: 0, count: 8)
    }

    @Test(arguments: ["127.0.0.1", "8.8.8.8", "::1", "fe80::1", "::ffff:10.0.0.1"])
    func `the address is found in a socket address`(text: String) {
        let family = text.contains(":") ? AF_INET6 : AF_INET
        let bytes = Self.name(text)
        let found = bytes.withUnsafeBytes { CurlDestinations.address(in: $0, family: family) }
        #expect(found == IPAddress.bytes(of: text))
        let cut = bytes.prefix(7).withUnsafeBytes { CurlDestinations.address(in: $0, family: family) }
        #expect(cut.isEmpty)
        #expect(bytes.withUnsafeBytes { CurlDestinations.address(in: $0, family: AF_UNIX) }.isEmpty)
    }

    private func destinations(_ policy: DestinationPolicy, _ url: String = "http://a.example/") throws
        -> CurlDestinations
    {
        CurlDestinations(try #require(DestinationGuard(policy, origin: try HTTPURL(url).origin)))
    }

    private func mayConnect(_ destinations: CurlDestinations, _ text: String) -> Bool {
        let name = Self.name(text)
        let room = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 16)
        defer { room.deallocate() }
        let address = room.bindMemory(to: curl_sockaddr.self, capacity: 1)
        address.initialize(to: curl_sockaddr())
        address.pointee.family = text.contains(":") ? AF_INET6 : AF_INET
        address.pointee.addrlen = CUnsignedInt(name.count)
        (room + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)).copyMemory(from: name, byteCount: name.count)
        return destinations.mayConnect(to: address)
    }

    private func mayUse(_ destinations: CurlDestinations, _ text: String?) -> Bool {
        func ask(_ text: UnsafePointer<CChar>?) -> Bool {
            destinations.mayUse(CurlEndpoints(remoteAddress: text, remotePort: 80, localAddress: nil, localPort: 0))
        }
        return text.map { $0.withCString(ask) } ?? ask(nil)
    }

    @Test func `the first refused address is reported if none is left`() throws {
        let destinations = try destinations(.publicInternetOnly)
        #expect(!mayConnect(destinations, "fd00::1"))
        #expect(!mayConnect(destinations, "10.0.0.1"))
        let refusal = destinations.refusal(afterOpening: false)
        #expect(refusal?.rule == .uniqueLocal && refusal?.address == "fd00::1" && refusal?.host == "a.example")
        #expect(destinations.refusal(afterOpening: true) == nil)
        #expect(mayConnect(destinations, "8.8.8.8"))
        destinations.begin()
        #expect(destinations.refusal(afterOpening: false) == nil)
    }

    @Test(
        arguments: [
            ("8.8.8.8", nil), ("2606:4700::1", nil), ("127.0.0.1", .loopback), ("::ffff:10.0.0.1", .privateUse),
            ("", .unknownFamily), ("/run/x", .unknownFamily), (nil, .unknownFamily),
        ] as [(String?, DestinationFailure.Rule?)])
    func `an established connection is judged by its remote address`(
        address: String?, rule: DestinationFailure.Rule?
    ) throws {
        let destinations = try destinations(.publicInternetOnly)
        #expect(mayUse(destinations, address) == (rule == nil))
        #expect(destinations.refusal(afterOpening: true)?.rule == rule)
    }

    @Test func `a destination refused by name gets no connection`() throws {
        let destinations = try destinations(.publicInternetOnly(allowing: .ports(443)))
        #expect(destinations.standingRefusal?.rule == .port)
        #expect(!mayConnect(destinations, "8.8.8.8") && !mayUse(destinations, "8.8.8.8"))
    }
}
#endif
