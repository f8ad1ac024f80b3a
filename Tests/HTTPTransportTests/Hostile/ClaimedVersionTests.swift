import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPFutures
import HTTPURLSession
import Synchronization
import TestSupport
import Testing

import HTTPMockServer

/// A server cannot have its connection shared by what it says. Only the ALPN of the handshake makes it HTTP/2. `make soak` makes
/// 40 calls each time, eight at once, `make test` 16.
@Suite(.timeLimit(.minutes(5))) struct ClaimedVersionTests {
    /// What a server says about its version.
    enum Claim: CaseIterable {
        case http2, http2Minor, http3, http9, interimHTTP2, interimHTTP3, blankBefore, onKeptConnection
        case afterUpgradeOffer, switched

        /// The head of the `number`th response on a connection, in the pieces in which it is sent.
        fileprivate func pieces(_ number: Int) -> [String] {
            switch self {
            case .http2: ["HTTP/2 200 OK\r\n"]
            case .http2Minor: ["HTTP/2.0 200 OK\r\n"]
            case .http3: ["HTTP/3 200 OK\r\n"]
            case .http9: ["HTTP/9 200 OK\r\n"]
            case .interimHTTP2: ["HTTP/2 103 Early Hints\r\n", "\r\n", "HTTP/1.1 200 OK\r\n"]
            case .interimHTTP3: ["HTTP/3 103 Early Hints\r\n", "\r\n", "HTTP/1.1 200 OK\r\n"]
            case .blankBefore: [" HTTP/2 200 OK\r\n"]
            case .onKeptConnection: [number == 1 ? "HTTP/1.1 200 OK\r\n" : "HTTP/2 200 OK\r\n"]
            case .afterUpgradeOffer:
                number == 1
                    ? ["HTTP/1.1 200 OK\r\nUpgrade: h2c, h2\r\nAlt-Svc: h2=\":443\", h2c=\":80\"\r\n"]
                    : ["HTTP/2 200 OK\r\n"]
            case .switched:
                [
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", "\r\n",
                    "HTTP/2 200\r\n",
                ]
            }
        }

        /// Whether the first response on a connection is a good one.
        fileprivate var beginsWell: Bool { self == .onKeptConnection || self == .afterUpgradeOffer }
    }

    private final class Log: Sendable {
        private let counts = Mutex<[Int: Int]>([:])
        private let lies = Mutex(0)
        private let occasions = Mutex(0)

        /// The number of a response that could make the claim.
        func nextOccasion() -> Int {
            occasions.withLock { count in
                count += 1
                return count - 1
            }
        }

        func noteLie() { lies.withLock { $0 += 1 } }

        var lieCount: Int { lies.withLock { $0 } }

        func note(_ connection: Int) { counts.withLock { $0[connection, default: 0] += 1 } }

        var requests: Int { counts.withLock { $0.values.reduce(0, +) } }
        var mostOnOne: Int { counts.withLock { $0.values.max() ?? 0 } }
    }

    /// Answers each request with its own path. `isLie`: whether the response of that number, among those that can make the
    /// claim, makes it.
    private static func server(
        _ claim: Claim, tls: Bool, _ log: Log, isLie: @escaping @Sendable (Int) -> Bool = { _ in true },
        takes pause: Duration = .milliseconds(2)
    ) throws -> RawServer {
        try RawServer(tls: tls) { connection, number in
            var count = 0
            while let head = connection.readHead() {
                count += 1
                log.note(number)
                let path = String(head.split(separator: " ")[1])
                connection.pause(pause)
                let canLie = !(claim.beginsWell && count == 1)
                let lies = canLie && isLie(log.nextOccasion())
                if lies { log.noteLie() }
                for piece in lies || !canLie ? claim.pieces(count) : ["HTTP/1.1 200 OK\r\n"] {
                    _ = connection.write(piece)
                    connection.pause(.milliseconds(2))
                }
                guard connection.write("Content-Length: \(path.utf8.count)\r\n\r\n\(path)") else { return }
            }
        }
    }

    private static func requests(_ base: String, _ count: Int) throws -> [Request] {
        try (0..<count).map { user in
            try Request(.get("\(base)user/\(user)") |> .bearer("token-\(user)") |> .timeout(.seconds(20)))
        }
    }

    /// The number of calls that got their own response. Any other must have ended in a violation.
    private static func check(
        _ results: [Result<Response, HTTPError>], _ requests: [Request], isURLSession: Bool = false
    ) -> Int {
        var own = 0
        for (request, result) in zip(requests, results) {
            switch result {
            case .success(let response):
                let text = try? response.text()
                #expect(text == request.url.target)
                own += 1
            case .failure(.protocolViolation(let failure)):
                #expect(failure.kind == .head || isURLSession)
                #expect("\(HTTPError.protocolViolation(failure))".contains("127.0.0.1"))
            case .failure(.connection) where isURLSession: break
            case .failure(let error): Issue.record("\(error)")
            }
        }
        return own
    }

    @Test(arguments: Claim.allCases, EntryStyle.allCases)
    func `a claimed version shares no connection in the clear`(claim: Claim, style: EntryStyle) async throws {
        try await expectNothingShared(claim, style, tls: false)
    }

    @Test(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), arguments: Claim.allCases, EntryStyle.allCases)
    func `a claimed version shares no connection over TLS`(claim: Claim, style: EntryStyle) async throws {
        try await expectNothingShared(claim, style, tls: true)
    }

    private func expectNothingShared(_ claim: Claim, _ style: EntryStyle, tls: Bool) async throws {
        let log = Log()
        let server = try Self.server(claim, tls: tls, log)
        let requests = try Self.requests(server.url(), Soak.count(40, or: 16))
        let results = await style.results(of: requests, over: try server.transport(), atOnce: 8)
        let own = Self.check(results, requests)
        #expect(claim.beginsWell ? own > 0 : own == 0)
        // A violation ends its connection: nothing was sent on it afterwards.
        #expect(log.mostOnOne <= (claim.beginsWell ? 2 : 1))
        #expect(log.requests == requests.count)
    }

    /// libcurl keeps one note for all connections to a host: one liar must not have the others shared.
    @Test(arguments: [Claim.http2, .interimHTTP2, .onKeptConnection], EntryStyle.allCases)
    func `one claim leaves the other connections to the host as they are`(
        claim: Claim, style: EntryStyle
    ) async throws {
        for tls in [false, true] { try await expectOthersUnshared(claim, style, tls: tls) }
    }

    private func expectOthersUnshared(_ claim: Claim, _ style: EntryStyle, tls: Bool) async throws {
        let log = Log()
        let server = try Self.server(
            claim, tls: tls, log, isLie: { $0.isMultiple(of: 4) }, takes: .milliseconds(10))
        let client = try server.transport()
        let requests = try Self.requests(server.url(), Soak.count(60, or: 32))
        let results = await style.results(of: requests, over: client, atOnce: 8)
        let own = Self.check(results, requests)
        #expect(own == requests.count - log.lieCount)
        #expect(log.lieCount > 0)
        #expect(log.requests == requests.count)
    }

    /// Not the switched one: FoundationNetworking passes on what follows a 101 as a body.
    @Test(arguments: Claim.allCases.filter { $0 != .switched }, EntryStyle.allCases)
    func `over URLSession, too, a claimed version shares no connection`(
        claim: Claim, style: EntryStyle
    ) async throws {
        let log = Log()
        let server = try Self.server(claim, tls: false, log)
        let requests = try Self.requests(server.url(), Soak.count(40, or: 16))
        let results = await style.results(of: requests, over: URLSessionTransport(), atOnce: 8)
        let own = Self.check(results, requests, isURLSession: true)
        // What it takes for a version like any other, it asks on, one request after the other.
        if claim.beginsWell { #expect(own > 0) }
        #expect(log.requests >= requests.count)
    }

    /// What the server says by ALPN, and what it speaks.
    enum Mismatch: CaseIterable {
        case http1AfterHTTP2, http2AfterHTTP1, http1WithoutALPN, http2LineWithoutALPN
    }

    @Test(
        .enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), arguments: Mismatch.allCases,
        [EntryStyle.blocking, .batch, .awaited])
    func `a server that speaks another version than it negotiated answers nobody else`(
        mismatch: Mismatch, style: EntryStyle
    ) async throws {
        var options = MockServer.TLS()
        if mismatch == .http1WithoutALPN || mismatch == .http2LineWithoutALPN { options.negotiatesProtocol = false }
        let version = mismatch == .http1AfterHTTP2 ? HTTPVersion.http2 : .http1_1
        let server = try RawServer(tls: true, version: version, options: options) { connection, _ in
            switch mismatch {
            case .http2AfterHTTP1:
                guard connection.readHead() != nil else { return }
                _ = connection.write([0, 0, 0, 4, 0, 0, 0, 0, 0][...])
                connection.readToEnd()
            case .http1AfterHTTP2, .http1WithoutALPN, .http2LineWithoutALPN:
                while let head = connection.readHead() {
                    // The preface of HTTP/2 has an empty line, too.
                    let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
                    let line = mismatch == .http2LineWithoutALPN ? "HTTP/2 200 OK" : "HTTP/1.1 200 OK"
                    connection.pause(.milliseconds(2))
                    guard connection.write("\(line)\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)") else {
                        return
                    }
                }
            }
        }
        let requests = try Self.requests(server.url(), 24)
        let results = await style.results(of: requests, over: try server.transport(), atOnce: 8)
        var own = 0
        for (request, result) in zip(requests, results) {
            switch result {
            case .success(let response):
                let text = try? response.text()
                #expect(text == request.url.target && response.version == .http1_1)
                own += 1
            case .failure(.protocolViolation(let failure)):
                let mayBeOfFrames = mismatch == .http1AfterHTTP2 && !CurlTransport.engineVersion.hasPrefix("7.88.")
                #expect(failure.kind == .head || (failure.kind == .frames && mayBeOfFrames))
            // No frame, nothing that could be called a response.
            case .failure(.connection) where mismatch == .http1AfterHTTP2: break
            // From 8.5 on, libcurl waits for its first frame.
            case .failure(.timedOut)
            where mismatch == .http1AfterHTTP2 && !CurlTransport.engineVersion.hasPrefix("7.88."): break
            case .failure(let error): Issue.record("\(error)")
            }
        }
        #expect(own == (mismatch == .http1WithoutALPN ? requests.count : 0))
    }

    @Test(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), arguments: EntryStyle.allCases)
    func `HTTP/2 that was negotiated is shared, and each call gets its own response`(style: EntryStyle) async throws {
        let server = try MockServer(security: .tls(), versions: [.http2]) { .text($0.path) }
        let client = try CurlTransport.trusting(server)
        let requests = try Self.requests(server.url("/"), 40)
        let results = await style.results(of: requests, over: client, atOnce: 8)
        #expect(Self.check(results, requests) == 40)
        #expect(results.allSatisfy { (try? $0.get().version) == .http2 })
    }
}

extension EntryStyle {
    /// The results of all of `requests`, of which `count` at most run at once.
    func results(
        of requests: [Request], over client: any HTTPClient, atOnce count: Int
    ) async -> [Result<Response, HTTPError>] {
        if self == .batch {
            return await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: client.executeRequests(requests, maxConcurrent: count))
                }
            }
        }
        return await withTaskGroup(of: (Int, Result<Response, HTTPError>).self) { group in
            var results = [Result<Response, HTTPError>](
                repeating: .failure(.cancelled(nil)), count: requests.count)
            func add(_ index: Int) {
                group.addTask { (index, await self.result(of: requests[index], over: client)) }
            }
            var next = min(count, requests.count)
            for index in 0..<next { add(index) }
            while let (index, result) = await group.next() {
                results[index] = result
                if next < requests.count { add(next) }
                next += 1
            }
            return results
        }
    }

    private func result(of request: Request, over client: any HTTPClient) async -> Result<Response, HTTPError> {
        await withCheckedContinuation { continuation in
            _ = begin(request, over: client, beside: request) {
                continuation.resume(returning: $0)
            } receiveNeighbor: {
                _ in
            }
        }
    }
}
