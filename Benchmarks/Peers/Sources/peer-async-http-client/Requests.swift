import AsyncHTTPClient
import NIOCore
import NIOSSL
import PeerProtocol

/// GETs with AsyncHTTPClient: waiting for its future, and awaiting.
enum Requests {
    static let cases: [String: Peer.Prepare] = [
        "wait": { url in
            let client = client(connections: 8)
            let request = try HTTPClient.Request(url: url)
            return Peer.timing { try wait(for: request, by: client, size: Peer.helloSize) }
        },
        "await": { url in
            let client = client(connections: 8)
            let request = HTTPClientRequest(url: url)
            return Peer.awaiting { try await get(request, by: client, size: Peer.helloSize) }
        },
        "await-1": awaiting(atOnce: 1),
        "await-8": awaiting(atOnce: 8),
        "await-64": awaiting(atOnce: 64),
        "await-large": { url in
            let client = client(connections: 8)
            let request = HTTPClientRequest(url: url)
            return Peer.awaiting { try await get(request, by: client, size: Peer.largeSize) }
        },
        "wait-large": { url in
            let client = client(connections: 8)
            let request = try HTTPClient.Request(url: url)
            return Peer.timing { try wait(for: request, by: client, size: Peer.largeSize) }
        },
        "await-crowd": { url in
            let client = client(connections: Peer.crowdSize)
            let request = HTTPClientRequest(url: url)
            let crowd = Peer.awaiting(atOnce: Peer.crowdSize) {
                try await get(request, by: client, size: Peer.helloSize)
            }
            return Peer.timing { _ = try crowd(Peer.crowdSize) }
        },
    ]

    private static func awaiting(atOnce width: Int) -> Peer.Prepare {
        { url in
            let client = client(connections: max(width, 8))
            let request = HTTPClientRequest(url: url)
            return Peer.awaiting(atOnce: width) { try await get(request, by: client, size: Peer.helloSize) }
        }
    }

    /// As it comes, but for as many connections as there are requests at a time and for the authority of the server.
    private static func client(connections: Int) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        // The operating system answers so many connections slowly, which is not what is measured.
        configuration.timeout.connect = .seconds(60)
        if let path = Peer.environment("SSL_CERT_FILE") {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(path)
            configuration.tlsConfiguration = tls
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // It lives as long as the program: one that is let go of without a shutdown ends the program.
        _ = Unmanaged.passRetained(client)
        return client
    }

    static func wait(for request: HTTPClient.Request, by client: HTTPClient, size: Int) throws {
        let response = try client.execute(request: request).wait()
        try check(response.status.code, response.body?.readableBytes ?? 0, size)
    }

    private static func get(_ request: HTTPClientRequest, by client: HTTPClient, size: Int) async throws {
        let response = try await client.execute(request, timeout: .seconds(60))
        try check(response.status.code, await response.body.collect(upTo: 2 * size).readableBytes, size)
    }

    private static func check(_ status: UInt, _ count: Int, _ size: Int) throws {
        guard status == 200, count == size else {
            throw PeerFailure("the server answered \(status) with \(count) bytes")
        }
    }
}
