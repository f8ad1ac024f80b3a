#if canImport(FoundationNetworking)
import TestSupport
import Foundation
import FoundationNetworking
import HTTPCore
import HTTPMockServer
import HTTPSupport
import HTTPTesting
import HTTPURLSession
import Testing

/// Features that URLSession on Linux lacks are refused before anything is sent.
@Suite struct UnsupportedTests {
    static let requests: [(String, @Sendable (MutableRequest) -> MutableRequest)] = [
        ("waiting for 100 Continue", { changed($0) { $0.continueWait = .seconds(1) } }),
        ("an Accept-Encoding of your own", { $0 |> .header("Accept-Encoding", "gzip") }),
        ("trailer fields after a body", { $0 |> .text("x") |> .trailers("X-Sum") { [:] } }),
        ("TE: trailers", { $0 |> .header("TE", "gzip, Trailers") }),
        ("GET with a body", { $0 |> .text("x") }),
        ("the method get", { changed($0) { $0.method = "get" } }),
        ("the method post", { changed($0) { $0.method = "post" } |> .text("x") }),
        ("the method Put", { changed($0) { $0.method = "Put" } |> .text("x") }),
        ("the method delete", { changed($0) { $0.method = "delete" } }),
    ]

    private static func changed(
        _ draft: MutableRequest, _ change: (inout MutableRequest) -> Void
    ) -> MutableRequest {
        var draft = draft
        change(&draft)
        return draft
    }

    @Test(.enabled(if: SystemLibrary.libcurlVersion ?? 0 >= 0x080900, "sessions over TLS may end"))
    func `what would end the process is refused`() throws {
        let server = try MockServer(security: .tls()) { _ in .text("never") }
        let (kept, unkept) = (URLSessionTransport(), try URLSessionTransport(keepsConnections: false))
        for (client, draft) in [
            (kept, .post(server.url)), (kept, .put(server.url) |> .text("x")), (unkept, .get(server.url)),
        ] as [(URLSessionTransport, MutableRequest)] {
            let error = try client.executeRequest(draft).error()
            guard case .unsupported(let unsupported) = error else { throw error }
            #expect(unsupported.feature.hasSuffix(" over TLS with a connection of its own"))
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `a request that would be changed on the way is refused`() throws {
        let server = try MockServer { _ in .text("ok") }
        for (feature, change) in Self.requests {
            let error = try URLSessionTransport().executeRequest(change(.get(server.url))).error()
            guard case .unsupported(let unsupported) = error else { throw error }
            #expect(unsupported.feature == feature)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `HTTP/1.1 only is refused over TLS, and in the clear it is used anyway`() throws {
        let server = try MockServer { _ in .text("ok") }
        let draft = Self.changed(.get(server.url)) { $0.version = .http1 }
        #expect(try URLSessionTransport().send(draft).status == .ok)
        let secure = Self.changed(.get("https://127.0.0.1:\(server.port)/")) { $0.version = .http1 }
        let error = try URLSessionTransport().executeRequest(secure).error()
        guard case .unsupported = error else { throw error }
    }

    @Test func `a proxy in the configuration is refused, because it would be ignored`() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = ["HTTPEnable": true]
        #expect {
            try URLSessionTransport(configuration)
        } throws: { "\($0)".contains("a proxy configuration cannot be used") }
    }

    @Test func `fields in the configuration are refused, because every host would get them`() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret"]
        let error = #expect(throws: HTTPError.self) { try URLSessionTransport(configuration) }
        guard case .unsupported(let unsupported)? = error else { throw Unexpected("\(error as Any)") }
        #expect(unsupported.feature == "header fields in a configuration")
        configuration.httpAdditionalHeaders = [:]
        _ = try URLSessionTransport(configuration)
    }

    @Test func `a User-Agent must be one line`() {
        #expect(throws: HTTPError.self) { try URLSessionTransport(.ephemeral, userAgent: "a\r\nX: 1") }
    }

    @Test func `without a User-Agent none is sent`() throws {
        let server = try MockServer { _ in .text("ok") }
        _ = try URLSessionTransport(.ephemeral, userAgent: nil).send(.get(server.url))
        #expect(try server.takeRequest().headers["User-Agent"] == nil)
    }
}
#endif
