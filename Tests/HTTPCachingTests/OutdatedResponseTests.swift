@testable import HTTPCaching
import Foundation
import HTTPSupport
import HTTPTesting
import Synchronization
import TestSupport
import Testing

import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Once a call that makes stored responses outdated has returned, none of them is found, and none is stored that was
/// requested before.
@Suite struct OutdatedResponseTests {
    private static let url = "http://h/a"
    private let scratch: ScratchDirectory
    private let path: String

    init() throws {
        scratch = try ScratchDirectory()
        path = scratch.file("cache")
    }

    /// A resource whose version each POST raises. The answer is made when the request arrives, and then something may
    /// happen until it is on its way.
    private final class Versions: Sendable {
        private let version = Atomic(1)
        private let meanwhile = Locked<(@Sendable () -> Void)?>(nil)
        let requests = Notes<HTTPMethod>()

        func duringNext(_ event: @escaping @Sendable () -> Void) { meanwhile.withLock { $0 = event } }

        var server: ScriptedClient {
            ScriptedClient { [self] request in
                requests.note(request.method)
                if request.method == .post { version.add(1, ordering: .relaxed) }
                let text = "\(version.load(ordering: .relaxed))"
                meanwhile.exchange(nil)?()
                let headers: HTTPHeaders = [
                    "Cache-Control": "max-age=60", "ETag": "\"\(text)\"", "Content-Location": url,
                ]
                let isKnown = request.headers["If-None-Match"] == "\"\(text)\""
                return .success(
                    Response(
                        request: request, status: isKnown ? .notModified : .ok, headers: headers,
                        body: isKnown ? Data() : Data(text.utf8)))
            }
        }
    }

    private static func stored(_ client: any HTTPClient) -> Result<String, HTTPError> {
        client.executeRequest(.get(url) |> .header("Cache-Control", "only-if-cached")).flatMap { response in
            Result { () throws(HTTPError) in try response.text() }
        }
    }

    private static func isNotCached(_ outcome: Result<String, HTTPError>?) -> Bool {
        if case .failure(.other(let failure)) = outcome { failure is NotCached } else { false }
    }

    // MARK: In one process

    @Test(arguments: [true, false], [true, false])
    func `what a DELETE makes outdated while it is stored is not found from then on`(isOnDisk: Bool, isConfirmed: Bool)
        throws
    {
        let versions = Versions()
        let inner: any CacheStore =
            isOnDisk ? DiskCacheStore(path, capacity: 1 << 20) : MemoryCacheStore(capacity: 1 << 20)
        let store = LateStore(isImmediate: !isOnDisk, inner)
        let client = versions.server.intercepted(by: .cache(HTTPCache(store)))
        if isConfirmed { #expect(try client.send(.get(Self.url)).cacheStatus?.isStored == true) }
        let found = Notes<Result<String, HTTPError>>()
        store.aroundNextStoring {
            _ = client.executeRequest(.delete(Self.url))
        } after: {
            found.note(Self.stored(client))
        }
        var draft: MutableRequest = .get(Self.url)
        if isConfirmed { draft = draft |> .header("Cache-Control", "no-cache") }
        let response = try client.send(draft)
        #expect(response.cacheStatus?.isStored == false && Self.isNotCached(found.all.first))
        #expect(found.all.count == 1 && Self.isNotCached(Self.stored(client)))
        if !isConfirmed { #expect(response.cacheStatus?.detail == "it was removed or outdated meanwhile") }
        #expect(versions.requests.all == (isConfirmed ? [.get] : []) + [.get, .delete])
    }

    @Test func `the answer to a POST is not stored behind a later one's`() throws {
        let versions = Versions()
        let cache = HTTPCache.memory(megabytes: 1)
        let client = versions.server.intercepted(by: .cache(cache))
        versions.duringNext { _ = client.executeRequest(.post(Self.url)) }
        #expect(try client.send(.post(Self.url)).text() == "2")
        #expect(Self.isNotCached(Self.stored(client)))
        #expect(try client.send(.post(Self.url)).text() == "4")
        #expect(try Self.stored(client).get() == "4" && cache.flights.count == 0)
        #expect(versions.requests.all == [.post, .post, .post])
    }

    @Test func `a POST whose answer its reader cannot use makes what is stored outdated`() throws {
        let answer = StubAnswer.text("a").header("Cache-Control", "max-age=60")
        let stub = StubClient().on(.get, "/a", answer: answer).on(.post, "/a", answer: .text("done"))
        let client = stub.intercepted(by: .cache(.memory(megabytes: 1)))
        for isStored in [false, true] { #expect(try client.send(.get(Self.url)).cacheStatus?.isHit == isStored) }
        let reader = BodyDestination.stream { start in
            BodySink(
                write: { _ in },
                finish: {
                    throw ResponseFault { record in
                        let response = Response(request: start.request, status: start.status)
                        return .decoding(
                            DecodingFailure(response: response, expectedType: "events", reason: "it has none"))
                    }
                })
        }
        let result = client.executeRequest(.post(Self.url) |> .destination(reader))
        guard case .failure(.decoding) = result else { return unexpected(result) }
        #expect(Self.isNotCached(Self.stored(client)))
        #expect(stub.requests.map(\.method) == [.get, .post])
    }

    // MARK: In two processes, each with a cache of its own around the same directory

    enum Removal: CaseIterable {
        case unsafeCall, ofURL, ofAll

        func perform(_ cache: HTTPCache, _ client: any HTTPClient) {
            switch self {
            case .unsafeCall: _ = client.executeRequest(.delete(url))
            case .ofURL: if let url = try? HTTPURL(url) { cache.remove(url) }
            case .ofAll: cache.removeAll()
            }
        }
    }

    @Test(arguments: Removal.allCases)
    func `what another process has under way when something is removed is not stored behind it`(_ removal: Removal)
        throws
    {
        let versions = Versions()
        let caches = [HTTPCache.directory(path, megabytes: 1), .directory(path, megabytes: 1)]
        let clients = caches.map { versions.server.intercepted(by: .cache($0)) }
        // Once where nothing was ever removed, and once more.
        for _ in 0..<2 {
            versions.duringNext { removal.perform(caches[0], clients[0]) }
            let response = try clients[1].send(.get(Self.url))
            #expect(response.cacheStatus?.detail == "it was removed or outdated meanwhile")
            #expect(clients.allSatisfy { Self.isNotCached(Self.stored($0)) } && caches[1].entries.isEmpty)
        }
        // What is requested afterwards is stored.
        #expect(try clients[1].send(.get(Self.url)).cacheStatus?.isStored == true)
        #expect(try Self.stored(clients[0]).get() == "1")
    }

    @Test func `a process that stops while it stores keeps others from storing, and from nothing else`() throws {
        let versions = Versions()
        let client = versions.server.intercepted(by: .cache(.directory(path, megabytes: 1)))
        #expect(try client.send(.get(Self.url)).cacheStatus?.isStored == true)
        let marks = open("\(path)/marks", O_RDWR)
        #expect(marks >= 0 && flock(marks, LOCK_EX) == 0)
        #expect(try Self.stored(client).get() == "1")
        #expect(try client.send(.get("http://h/b")).cacheStatus?.isStored == false)
        #expect(try client.send(.post(Self.url)).text() == "2")
        #expect(Self.isNotCached(Self.stored(client)))
        _ = close(marks)
        #expect(try client.send(.get(Self.url)).cacheStatus?.isStored == true)
        #expect(versions.requests.all == [.get, .get, .post, .get])
    }
}
