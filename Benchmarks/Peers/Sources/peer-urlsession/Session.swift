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
            let request = try session.request(url)
            return Peer.timing { try session.get(request, size: Peer.helloSize) }
        },
        "wait-large": { url in
            let session = Session(connections: 6)
            let request = try session.request(url)
            return Peer.timing { try session.get(request, size: Peer.largeSize) }
        },
        "await-64": { url in
            let session = Session(connections: 64)
            let request = try session.request(url)
            return Peer.awaiting(atOnce: 64) { try await session.response(request, size: Peer.helloSize) }
        },
    ]

    private let session: URLSession

    init(connections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration)
    }

    func get(_ request: URLRequest, size: Int) throws {
        let outcome = Outcome<Void>()
        let isDone = DispatchSemaphore(value: 0)
        let task = session.dataTask(with: request) { data, response, error in
            outcome.set(Result { try Self.check(data, response, error, size) })
            isDone.signal()
        }
        task.resume()
        isDone.wait()
        try outcome.get()
    }

    private func response(_ request: URLRequest, size: Int) async throws {
        let (data, response) = try await session.data(for: request)
        try Self.check(data, response, nil, size)
    }

    func request(_ url: String) throws -> URLRequest {
        guard let parsed = URL(string: url) else { throw PeerFailure("\(url) is no URL") }
        return URLRequest(url: parsed)
    }

    private static func check(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?, _ size: Int) throws {
        if let error { throw error }
        let status = (response as? HTTPURLResponse)?.statusCode
        guard status == 200, data?.count == size else {
            throw PeerFailure("the server answered \(status ?? 0) with \(data?.count ?? 0) bytes")
        }
    }
}
