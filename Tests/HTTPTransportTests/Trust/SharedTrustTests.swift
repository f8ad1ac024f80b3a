import HTTPCaching
import HTTPEngine
import HTTPObservability
import HTTPPolicies
import Foundation
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import HTTPURLSession
import Testing

import HTTPCore

/// Clients of different trust that share a cache: what decides whom one talks to is part of the key.
@Suite(.timeLimit(.minutes(2))) struct SharedTrustTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    private func server(_ security: MockServer.Security = .none) throws -> MockServer {
        try MockServer(security: security) {
            .text("\($0.headers["Host"] ?? "")").header("Cache-Control", "max-age=600")
        }
    }

    @Test func `a guarded client gets no stored response of a loopback server`() throws {
        let server = try server()
        let cache = HTTPCache.memory(megabytes: 1)
        let url = server.url("/a")
        _ = try CurlTransport.plain().intercepted(by: .cache(cache)).send(.get(url))
        let guarded = try CurlTransport.plain { $0.destinations = .publicInternetOnly }
        for client in [
            guarded.intercepted(by: .cache(cache)), guarded.intercepted(by: .retry()).intercepted(by: .cache(cache)),
        ] {
            guard case .failure(.destinationRefused) = client.executeRequest(.get(url)) else {
                Issue.record("not refused")
                continue
            }
        }
        let allowing = try CurlTransport.plain {
            $0.destinations = .publicInternetOnly(allowing: .blocks("127.0.0.0/8"))
        }
        #expect(try allowing.intercepted(by: .cache(cache)).send(.get(url)).cacheStatus?.isHit == false)
        #expect(server.requests.count == 2)
    }

    @Test func `verifying and pinned clients get no stored response of an unverified server`() throws {
        let server = try server(.tls())
        let cache = HTTPCache.memory(megabytes: 1)
        let url = server.url("/a")
        let unverified = try CurlTransport.plain { $0.tls.unverifiedHosts = ["127.0.0.1"] }
        _ = try unverified.intercepted(by: .cache(cache)).send(.get(url))
        let pinned = try CurlTransport.plain {
            $0.tls.unverifiedHosts = ["127.0.0.1"]
            $0.tls.pins = ["127.0.0.1": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]]
        }
        for transport in [try CurlTransport.plain(), pinned] {
            guard case .failure(.tls) = transport.intercepted(by: .cache(cache)).executeRequest(.get(url)) else {
                Issue.record("not refused")
                continue
            }
        }
        let trusting = try CurlTransport.trusting(server)
        #expect(try trusting.intercepted(by: .cache(cache)).send(.get(url)).cacheStatus?.isHit == false)
        #expect(server.requests.count == 2)
    }

    @Test func `clients with other addresses for a name do not share what they got there`() throws {
        let (one, two) = (try server(), try server())
        let cache = HTTPCache.memory(megabytes: 1)
        func text(_ server: MockServer?, proxy: MockServer? = nil) throws -> String {
            let transport = try CurlTransport.plain { configuration in
                if let server { configuration.addressOverrides = ["shop.test": ["127.0.0.1:\(server.port)"]] }
                if let proxy { configuration.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port)) }
            }
            return try transport.intercepted(by: .cache(cache)).send(.get("http://shop.test/")).text()
        }
        // Both go by way of a proxy, which answers for the name.
        #expect(try text(nil, proxy: one) == "shop.test" && text(nil, proxy: two) == "shop.test")
        #expect(one.requests.count == 1 && two.requests.count == 1)
        #expect(try text(nil, proxy: one) == "shop.test" && one.requests.count == 1)
    }

    @Test func `the same configuration in another process uses what is stored`() throws {
        let server = try server()
        for number in 1...2 {
            let transport = try CurlTransport.plain {
                $0.destinations = .publicInternetOnly(
                    allowing: .blocks("127.0.0.0/8", "::1/128"), .ports(80, 443, server.port))
                $0.tls.pins = [
                    "b": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
                    "a": ["BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="],
                ]
                $0.addressOverrides = ["a": ["127.0.0.1"], "b": ["127.0.0.2"], "c": ["::1"]]
            }
            let cache = HTTPCache.directory(scratch.file("cache"), megabytes: 1)
            let response = try transport.intercepted(by: .cache(cache)).send(.get(server.url("/a")))
            #expect(response.cacheStatus?.isHit == (number == 2))
        }
        // For another engine it is another server's word.
        let cache = HTTPCache.directory(scratch.file("cache"), megabytes: 1)
        let other = URLSessionTransport().intercepted(by: .cache(cache))
        #expect(try other.send(.get(server.url("/a"))).cacheStatus?.isHit == false)
        #expect(server.requests.count == 2)
    }

    @Test func `a client of no known kind shares with its own kind alone, through any wrapper`() throws {
        struct Own: HTTPClient {
            let next: any HTTPClient
            func executeRequest(_ request: Request) -> Result<Response, HTTPError> { next.executeRequest(request) }
        }
        let server = try server()
        let cache = HTTPCache.memory(megabytes: 1)
        let transport = try CurlTransport.plain()
        let clients: [any HTTPClient] = [
            transport, Own(next: transport), Own(next: transport).detached, transport.detached,
            transport.intercepted(by: .log { _ in }),
        ]
        let hits = try clients.map {
            try $0.intercepted(by: .cache(cache)).send(.get(server.url("/a"))).cacheStatus?.isHit
        }
        #expect(hits == [false, false, true, true, true])
    }

    /// Every setting that decides whom one talks to.
    private static let changes: [@Sendable (inout CurlConfiguration) throws -> Void] = [
        { _ in },
        { $0.destinations = .publicInternetOnly },
        { $0.destinations = .publicInternetOnly(allowing: .trustedProxy) },
        { $0.destinations = .publicInternetOnly(allowing: .hosts("a")) },
        { $0.destinations = .publicInternetOnly(allowing: .hosts("a:80")) },
        { $0.destinations = .publicInternetOnly(allowing: .hosts("*.a")) },
        { $0.destinations = .publicInternetOnly(allowing: .blocks("10.0.0.0/8")) },
        { $0.destinations = .publicInternetOnly(refusing: ["10.0.0.0/8"]) },
        { $0.destinations = .publicInternetOnly(allowing: .ports(80)) },
        { $0.destinations = .publicInternetOnly(allowing: .unixSockets("/a")) },
        { $0.tls.unverifiedHosts = ["a"] },
        { $0.tls.unverifiedHosts = ["a", "b"] },
        { $0.tls.pins = ["a": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]] },
        { $0.tls.pins = ["b": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]] },
        { $0.tls.authorities = .file("/a") },
        { $0.tls.authorities = .directory("/a") },
        { $0.tls.authorities = .bytes(Data([1])) },
        { $0.tls.minimumVersion = .tls1_3 },
        { $0.tls = TLSConfiguration(environment: ["SSL_CERT_FILE": "/a"]) },
        { $0.tls = TLSConfiguration(environment: ["SSL_CERT_DIR": "/a"]) },
        { $0.tls.clientCertificates = [ClientCertificate(.pkcs12(Data([1])))] },
        { $0.tls.clientCertificates = [ClientCertificate(.pkcs12(Data([1])), hosts: ["a"])] },
        { $0.tls.clientCertificates = [ClientCertificate(.pem(certificate: Data([1]), key: Data([2])))] },
        { $0.proxy = .proxy(Proxy(host: "p", port: 1)) },
        { $0.proxy = .proxy(Proxy(host: "p", port: 2)) },
        { $0.proxy = .proxy(Proxy(.socks5, host: "p", port: 1)) },
        { $0.proxy = .proxy(Proxy(host: "p", port: 1, user: "u", password: "s")) },
        { $0.proxy = .proxy(Proxy(host: "p", port: 1), excluding: ["a"]) },
        { $0.proxy = .environment(["http_proxy": "http://p:1"]) },
        { $0.proxy = .environment(["https_proxy": "http://p:1"]) },
        { $0.unixSocketPath = "/a" },
        { $0.addressOverrides = ["a": ["127.0.0.1"]] },
        { $0.addressOverrides = ["a": ["127.0.0.1", "127.0.0.2"]] },
    ]

    @Test func `every setting that decides whom one talks to makes another trust, and the same one the same`() throws {
        func trust(_ change: (inout CurlConfiguration) throws -> Void) throws -> String {
            var configuration = CurlConfiguration()
            (configuration.proxy, configuration.tls) = (.none, TLSConfiguration(environment: [:]))
            try change(&configuration)
            return configuration.trust.digest
        }
        let trusts = try Self.changes.map { try trust($0) }
        #expect(Set(trusts).count == trusts.count)
        #expect(try Self.changes.map { try trust($0) } == trusts)
        // These change nothing.
        #expect(try trust { $0.proxy = .environment(["no_proxy": "a"]) } == trusts[0])
        #expect(try trust { $0.userAgent = "a" } == trusts[0] && trust { $0.pool = PoolConfiguration() } == trusts[0])
    }
}
