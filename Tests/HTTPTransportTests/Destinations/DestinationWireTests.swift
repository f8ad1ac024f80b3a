import HTTPEngine
import HTTPSupport
import CLibcurl
import HTTPAsync
import Testing

import HTTPCore
@testable import HTTPCurl
import HTTPMockServer

/// Every spelling of a forbidden destination, by every route to it. Listeners on 127.0.0.1 and ::1, at the port in the
/// URLs, count the accepted connections. For a destination refused by the policy not even a socket is opened.
///
/// Each test prints what stopped its calls: the policy, the URL parser, or the server.
@Suite(.timeLimit(.minutes(2))) struct DestinationWireTests {
    private let inside: LoopbackPair
    private static let destinations = ForbiddenDestination.all

    init() throws { inside = try LoopbackPair { _ in .text("inside") } }

    private func transport(
        _ policy: DestinationPolicy = .publicInternetOnly, _ change: (inout CurlConfiguration) -> Void = { _ in }
    ) throws -> CurlTransport {
        try CurlTransport.plain {
            $0.destinations = policy
            $0.addressOverrides = ForbiddenDestination.names
            change(&$0)
        }
    }

    private func draft(_ destination: ForbiddenDestination) -> MutableRequest {
        .get(destination.url(port: inside.port)) |> .timeout(.seconds(20))
    }

    private func expectNothingAccepted(
        _ tally: DestinationTally, _ way: String, accepted: Int = 0, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(tally.wrong.isEmpty, "\(way)", sourceLocation: location)
        #expect(tally.total >= 200, sourceLocation: location)
        #expect(inside.connectionCount == accepted, "\(way)", sourceLocation: location)
        print(tally.line(way, accepted: inside.connectionCount - accepted))
    }

    // MARK: Direct

    @Test func `nothing is reached directly`() throws {
        let client = try transport()
        var tally = DestinationTally()
        for destination in Self.destinations { tally.take(client.executeRequest(draft(destination)), of: destination) }
        expectNothingAccepted(tally, "direct, blocking")
        // Without a guard the same addresses are reached.
        _ = try transport(.anywhere).send(.get("http://127.0.0.1:\(inside.port)/"))
        #expect(inside.connectionCount == 1)
    }

    @Test func `nothing is reached in a batch`() throws {
        var tally = DestinationTally()
        let results = try transport().executeRequests(Self.destinations.map(draft), maxConcurrent: 16)
        for (result, destination) in zip(results, Self.destinations) { tally.take(result, of: destination) }
        expectNothingAccepted(tally, "direct, batch")
    }

    @Test func `nothing is reached by an awaited call`() async throws {
        let client = try transport()
        var tally = DestinationTally()
        for destination in Self.destinations {
            tally.take(await Self.result(of: draft(destination), by: client), of: destination)
        }
        expectNothingAccepted(tally, "direct, awaited")
    }

    private static func result(of draft: MutableRequest, by client: CurlTransport) async -> Result<Response, HTTPError>
    {
        do throws(HTTPError) { return .success(try await client.send(draft)) } catch { return .failure(error) }
    }

    // MARK: Through others

    @Test func `nothing is reached by a redirect`() throws {
        let urls = Self.destinations.map { [port = inside.port] in $0.url(port: port) }
        let start = try ConnectionServer { client in
            defer { client.finishWriting() }
            while let request = client.readSome() {
                let target = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first ?? "/"
                let location = Int(target.dropFirst()).map { urls[$0] } ?? ""
                client.write(Array("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n".utf8))
            }
        }
        let client = try transport(.publicInternetOnly(allowing: .hosts("start.example:\(start.port)"))) {
            $0.addressOverrides["start.example"] = ["127.0.0.1"]
        }
        var tally = DestinationTally()
        for (index, destination) in Self.destinations.enumerated() {
            let result = client.executeRequest(
                .get("http://start.example:\(start.port)/\(index)") |> .timeout(.seconds(20)))
            if case .failure(.destinationRefused(let failure)) = result {
                #expect(failure.record.redirects.count == 1, "\(destination)")
            }
            tally.take(result, of: destination)
        }
        expectNothingAccepted(tally, "redirect")
    }

    @Test(arguments: [false, true])
    func `no other host uses the connection of an allowed one`(isBatch: Bool) throws {
        let policy = DestinationPolicy.publicInternetOnly(allowing: .hosts("allowed.example"))
        let client = try transport(policy) {
            $0.addressOverrides["allowed.example"] = ["127.0.0.1"]
            $0.pool.idleInAll = 1000
        }
        func results(_ drafts: [MutableRequest]) -> [Result<Response, HTTPError>] {
            isBatch ? client.executeRequests(drafts, maxConcurrent: 16) : drafts.map { client.executeRequest($0) }
        }
        let allowed = MutableRequest.get("http://allowed.example:\(inside.port)/")
        #expect(try results([allowed])[0].get().text() == "inside")
        var tally = DestinationTally()
        for (result, destination) in zip(results(Self.destinations.map(draft)), Self.destinations) {
            tally.take(result, of: destination)
        }
        #expect(try results([allowed])[0].get().metrics.isConnectionReused)
        expectNothingAccepted(tally, "reuse, \(isBatch ? "batch" : "blocking")", accepted: 1)
        #expect(inside.ipv4.requestCount == 2)
    }

    @Test(arguments: [Proxy.Kind.http, .socks4, .socks5, .socks5h])
    func `nothing is requested from a proxy`(kind: Proxy.Kind) throws {
        let proxy = try MockServer()
        let client = try transport(.publicInternetOnly(allowing: .hosts("127.0.0.1:\(proxy.port)"))) {
            $0.proxy = .proxy(Proxy(kind, host: "127.0.0.1", port: proxy.port))
        }
        var tally = DestinationTally()
        for destination in Self.destinations { tally.take(client.executeRequest(draft(destination)), of: destination) }
        expectNothingAccepted(tally, "proxy, \(kind.rawValue)")
        #expect(proxy.connectionCount == 0)
    }

    // MARK: A name whose address changes

    /// The connection and libcurl's table of addresses stay; only the address of the name changes. ::1, which is
    /// allowed, represents a public address.
    @Test(.enabled(if: (try? MockServer(on: .ipv6())) != nil, "needs the address ::1"))
    func `a name whose address changes is checked again`() throws {
        var configuration = CurlConfiguration()
        (configuration.proxy, configuration.tls) = (.none, TLSConfiguration(environment: [:]))
        configuration.destinations = .publicInternetOnly(allowing: .blocks("::1"))
        let name = "rebinding.example:\(inside.port)"
        let request = try Request(
            .get("http://\(name)/") |> .header("Connection", "close") |> .timeout(.seconds(20)))
        let connection = try CurlConnection(
            ConnectionKey(request, defaultVersion: .automatic), configuration, CurlHeaderLists(userAgent: nil))
        func result(resolving addresses: String) throws -> Result<Response, HTTPError> {
            let list = CurlList(["-\(name)", "\(name):\(addresses)"])
            defer { withExtendedLifetime(list) {} }
            connection.transfer.handle.set(CURLOPT_RESOLVE, pointer: list.first.map { UnsafeRawPointer($0) })
            var call = CurlCall(request, defaultVersion: .automatic)
            let ending = call.begin(in: connection.transfer, at: .now) ?? connection.drive(&call.deadlines, token: nil)
            let result = call.finish(ending, in: connection.transfer, at: .now) { false }
            return try #require(result)
        }
        var tally = DestinationTally()
        for destination in Self.destinations {
            guard let host = try? HTTPURL(destination.url(port: inside.port)).host,
                let address = IPAddress.bytes(of: host), address != IPAddress.bytes(of: "::1")
            else { continue }
            let text = address.count == 4 ? IPAddress.text(of: address) : "[\(IPAddress.text(of: address))]"
            #expect(try result(resolving: "[::1]").get().text() == "inside")
            tally.take(try result(resolving: text), of: destination)
            // It is skipped among others; some are enough.
            guard tally.total.isMultiple(of: 10) else { continue }
            #expect(try result(resolving: "\(text),[::1]").get().metrics.remoteAddress == "::1", "\(destination)")
        }
        #expect(tally.wrong.isEmpty)
        #expect(tally.total >= 150)
        #expect(inside.ipv4.connectionCount == 0)
        print(tally.line("name, first allowed", accepted: inside.ipv4.connectionCount))
    }
}
