import Foundation
import HTTPSupport
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Testing

/// A process that forks with open connections.
@Suite(.timeLimit(.minutes(5))) struct ForkTests {
    private static func server(_ security: MockServer.Security) throws -> MockServer {
        try MockServer(security: security) { request in
            request.path == "/long" ? .data([UInt8](repeating: 7, count: 3_000_000)) : .text(request.path)
        }
    }

    /// It answers "/held" once a child has made a call, and "/sent" once "/held" has arrived.
    private static func holdingServer(_ security: MockServer.Security) throws -> MockServer {
        let (isSent, isChildThere) = (Signal(), Signal())
        return try MockServer(security: security) { request in
            switch request.path {
            case "/held":
                isSent.fire()
                _ = isChildThere.wait()
            case "/sent": _ = isSent.wait()
            case "/child-1": isChildThere.fire()
            default: break
            }
            return .text(request.path)
        }
    }

    /// The connections of the requests for these paths.
    private static func connections(_ server: MockServer, _ paths: String...) -> Set<Int> {
        Set(server.requests.filter { paths.contains($0.path) }.map(\.connection))
    }

    @Test(arguments: [MockServer.Security.none, .tls()])
    func `a child opens its own connections, and those of its parent are unaffected`(
        security: MockServer.Security
    ) throws {
        let server = try Self.server(security)
        let report = try ClientProcess.run("fork", server.url)
        #expect(report.failure == nil)
        #expect(server.requestCount == 12)
        // Each request of the parent after the fork used the connection that was kept before.
        var ofParent: Set<Int> = []
        for kind in ["parent", "agent", "batch", "other"] {
            let connections = Self.connections(server, "/\(kind)-1", "/\(kind)-2")
            #expect(connections.count == 1, "\(kind)")
            ofParent.formUnion(connections)
        }
        let ofChild = Self.connections(server, "/child-1", "/child-2", "/child-3", "/child-4")
        #expect(ofChild.isDisjoint(with: ofParent))
        #expect(Self.connections(server, "/child-1", "/child-2").count == 1)
        #expect(server.protocolViolations.isEmpty)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "/proc tells what is open"))
    func `a program that is started inherits no connection and no file`() throws {
        let (server, directory) = (try Self.server(.none), try ScratchDirectory())
        let report = try ClientProcess.run("inherit", server.url, directory.file("a"))
        #expect(report.failure == "a connection stays, a connection stays, a file stays")
        #expect(server.requests.map(\.path) == ["/before", "/long"])
    }

    @Test(arguments: [MockServer.Security.none, .tls()])
    func `a call in which the process forks continues in the parent and fails in the child`(
        security: MockServer.Security
    ) throws {
        let server = try Self.server(security)
        let report = try ClientProcess.run("fork-in-sink", server.url)
        #expect(report.failure == nil)
        #expect(report.byteCount == 3_000_000)
        #expect(server.requestCount == 4)
        #expect(Self.connections(server, "/parent-1", "/long", "/parent-2").count == 1)
        #expect(Self.connections(server, "/child-1").isDisjoint(with: Self.connections(server, "/long")))
        #expect(server.protocolViolations.isEmpty)
    }

    @Test(arguments: [MockServer.Security.none, .tls()])
    func `a batch whose closure forks goes on in the parent and fails in the child`(
        security: MockServer.Security
    ) throws {
        let server = try Self.holdingServer(security)
        let report = try ClientProcess.run("fork-in-batch", server.url)
        #expect(report.failure == nil)
        #expect(server.requests.map(\.target).sorted() == ["/child-1", "/held", "/parent-1", "/sent"])
        #expect(Self.connections(server, "/child-1").isDisjoint(with: Self.connections(server, "/held", "/sent")))
        #expect(server.protocolViolations.isEmpty)
    }

    @Test func `a child waits for no exchange of its parent's, though they share a cache`() throws {
        let isSent = Signal()
        let count = Locked(0)
        let server = try MockServer { request in
            // The child is told to begin once the parent's request has arrived.
            if request.path == "/sent" {
                _ = isSent.wait()
            } else if count.withLock({
                $0 += 1; return $0 == 1
            }) {
                isSent.fire()
                return .text("").failing(.stall(.beforeHead))
            }
            return .text(request.path).header("Cache-Control", "max-age=60")
        }
        let report = try ClientProcess.run("fork-with-cache", server.url)
        #expect(report.failure == nil)
        #expect(server.requests.count { $0.path == "/shared" } == 2)
    }

    @Test func `a mock server stops though a child has its sockets, and not when the child stops its copy`() throws {
        let report = try ClientProcess.run("fork-with-server")
        #expect(report.failure == nil)
        #expect(report.byteCount == 1)
    }

    @Test func `a task on the executor that forks goes on in both processes, each with connections of its own`() throws
    {
        let server = try Self.holdingServer(.none)
        let report = try ClientProcess.run("fork-on-executor", server.url)
        #expect(report.failure == nil)
        #expect(
            server.requests.map(\.target).sorted() == [
                "/child-1", "/child-2", "/held", "/parent-1", "/parent-2", "/sent",
            ])
        let ofParent = Self.connections(server, "/parent-1", "/parent-2")
        #expect(ofParent.count == 1 && Self.connections(server, "/child-1", "/child-2").isDisjoint(with: ofParent))
    }
}
