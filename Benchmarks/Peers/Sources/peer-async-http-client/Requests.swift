import AsyncHTTPClient
import NIOCore
import PeerProtocol

/// The GETs of the sequential suite with AsyncHTTPClient's shared client: waiting for the future, and awaiting.
enum Requests {
    static let cases: [String: Peer.Prepare] = [
        "wait": { url in
            let request = try HTTPClient.Request(url: url)
            return Peer.timing {
                let response = try HTTPClient.shared.execute(request: request).wait()
                try check(response.status.code, response.body?.readableBytes ?? 0)
            }
        },
        "await": { url in Peer.awaiting { try await get(url) } },
    ]

    static func get(_ url: String) async throws {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
        try check(response.status.code, await response.body.collect(upTo: 1 << 20).readableBytes)
    }

    static func check(_ status: UInt, _ count: Int) throws {
        guard status == 200, count == 13 else { throw PeerFailure("the server answered \(status) with \(count) bytes") }
    }
}
