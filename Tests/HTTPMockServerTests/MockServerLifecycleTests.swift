import HTTPCore
import HTTPMockServer
import Synchronization
import Testing

@Suite struct MockServerLifecycleTests {
    @Test func `the URL has address and port`() throws {
        let server = try MockServer()
        #expect(server.port > 0)
        #expect(server.url == "http://127.0.0.1:\(server.port)")
        #expect(server.url("/a?b") == server.url + "/a?b")
        #expect(server.url("a") == server.url + "/a")
    }

    @Test func `a stopped server refuses, has closed its connections, and may be stopped again`() throws {
        let server = try MockServer()
        let client = try RawClient(server)
        try server.wait(for: .connections(1))
        server.stop()
        server.stop()
        #expect(client.readToEnd() == ("", .finished))
        #expect(throws: ConnectFailure.self) { try RawClient(port: server.port) }
        try server.wait(for: .openConnections(atMost: 0))
    }

    @Test func `what stopping a server cuts off is no fault of the client`() throws {
        let server = try MockServer { _ in .text("first") }
        let client = try RawClient(server)
        client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\nGET /second HT")
        #expect(client.readResponse().hasSuffix("first"))
        server.stop()
        try server.wait(for: .endOfConnection(1))
        #expect(server.protocolViolations.isEmpty)
        #expect(throws: Never.self) { try server.verify() }
    }

    @Test func `releasing a server stops it`() throws {
        var server: MockServer? = try MockServer()
        let client = try RawClient(#require(server))
        try server?.wait(for: .connections(1))
        server = nil
        #expect(client.readToEnd() == ("", .finished))
    }

    @Test func `a server can restart on the same port`() throws {
        let first = try MockServer { _ in .text("first") }
        let client = try RawClient(first)
        client.get("/")
        #expect(client.readResponse().hasSuffix("first"))
        first.stop()
        let second = try MockServer(on: .ipv4(port: first.port)) { _ in .text("second") }
        let again = try RawClient(second)
        again.get("/")
        #expect(again.readResponse().hasSuffix("second"))
    }

    @Test func `a port in use is an error that names the call, the address and the reason`() throws {
        let server = try MockServer()
        do throws(MockServerError) {
            _ = try MockServer(on: server.endpoint)
            Issue.record("bound twice")
        } catch {
            #expect(error.description.hasPrefix("bind failed for 127.0.0.1:\(server.port): "))
        }
    }

    @Test func `a port out of range or a path too long is an error`() {
        #expect(throws: MockServerError.self) { try MockServer(on: .ipv4(port: 70_000)) }
        #expect(throws: MockServerError.self) { try MockServer(on: .unix(path: String(repeating: "x", count: 200))) }
    }

    @Test(.enabled(if: hasIPv6)) func `it listens on the IPv6 loopback address`() throws {
        let server = try MockServer(on: .ipv6()) { _ in .text("six") }
        #expect(server.url == "http://[::1]:\(server.port)")
        let client = try RawClient(server)
        client.get("/")
        #expect(client.readResponse().hasSuffix("six"))
    }

    private static var hasIPv6: Bool { (try? MockServer(on: .ipv6())) != nil }

    @Test func `it listens on a Unix domain socket and removes it`() throws {
        let path = "/tmp/mock-server-\(UInt64.random(in: 0...(.max))).sock"
        let server = try MockServer(on: .unix(path: path)) { _ in .text("local") }
        #expect(server.url("/x") == "http://localhost/x")
        let client = try RawClient(server)
        client.get("/")
        #expect(client.readResponse().hasSuffix("local"))
        server.stop()
        let second = try MockServer(on: .unix(path: path))
        second.stop()
    }

    @Test func `512 connections are served concurrently`() throws {
        let arrived = Mutex(0)
        let server = try MockServer { _ in
            arrived.withLock { $0 += 1 }
            return .text("abc")
        }
        let clients = try (0..<512).map { _ in try RawClient(server) }
        for _ in 0..<2 {
            for client in clients { client.get("/") }
            for client in clients { #expect(client.readResponse().hasSuffix("abc")) }
        }
        #expect(arrived.withLock(\.self) == 1_024)
        #expect(server.openConnectionCount == 512)
        #expect(Set(server.requests.map(\.connection)) == Set(1...512))
    }

    @Test func `what a replaced handler holds is released, though a connection stays open`() throws {
        final class Held: Sendable {}
        let server = try MockServer()
        weak var held: Held?
        do {
            let object = Held()
            held = object
            server.handler = { _ in withExtendedLifetime(object) { .text("abc") } }
        }
        let client = try RawClient(server)
        client.get("/")
        #expect(client.readResponse().hasSuffix("abc"))
        #expect(held != nil)
        server.handler = nil
        #expect(held == nil)
        #expect(server.openConnectionCount == 1)
    }

    @Test func `a handler may stop its server`() throws {
        let server = try MockServer()
        server.handler = { [weak server] _ in
            server?.stop()
            return .text("too late")
        }
        let client = try RawClient(server)
        client.get("/")
        #expect(client.readToEnd().text == "")
        try server.wait(for: .endOfConnection(1))
        server.handler = nil
    }
}
