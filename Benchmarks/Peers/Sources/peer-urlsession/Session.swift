import Dispatch
import Foundation
import PeerProtocol

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// GETs with URLSession: waiting at a semaphore for its callback, and awaiting.
final class Session: Sendable {
    static let cases: [String: Peer.Prepare] = [
        "wait": { url in
            let session = Session(connections: 6)
            return Peer.timing { try session.get(url, size: Peer.helloSize) }
        },
        "wait-large": { url in
            let session = Session(connections: 6)
            return Peer.timing { try session.get(url, size: Peer.largeSize) }
        },
        "await-64": { url in
            let session = Session(connections: 64)
            return Peer.awaiting(atOnce: 64) { try await session.response(url, size: Peer.helloSize) }
        },
    ]

    private let session: URLSession

    init(connections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration)
    }

    func get(_ url: String, size: Int) throws {
        let outcome = Outcome<Void>()
        let isDone = DispatchSemaphore(value: 0)
        let task = session.dataTask(with: try parse(url)) { data, response, error in
            outcome.set(Result { try Self.check(data, response, error, size) })
            isDone.signal()
        }
        task.resume()
        isDone.wait()
        try outcome.get()
    }

    private func response(_ url: String, size: Int) async throws {
        let (data, response) = try await session.data(from: try parse(url))
        try Self.check(data, response, nil, size)
    }

    private func parse(_ url: String) throws -> URL {
        guard let parsed = URL(string: url) else { throw PeerFailure("\(url) is no URL") }
        return parsed
    }

    private static func check(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?, _ size: Int) throws {
        if let error { throw error }
        let status = (response as? HTTPURLResponse)?.statusCode
        guard status == 200, data?.count == size else {
            throw PeerFailure("the server answered \(status ?? 0) with \(data?.count ?? 0) bytes")
        }
    }
}
