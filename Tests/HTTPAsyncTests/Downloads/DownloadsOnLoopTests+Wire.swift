import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPSupport
import HTTPTesting
import HTTPTransfers
import TestSupport
import Testing

@testable import HTTPAsync

/// Downloads whose exchanges an event loop makes.
@Suite(.timeLimit(.minutes(5))) struct DownloadsOnLoopTests {
    private let client = CurlTransport()
    private let directory: ScratchDirectory
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    init() throws { directory = try ScratchDirectory() }

    @Test func `a hundred downloads share one thread, but for the few that open and complete their files`() async throws
    {
        let (stalled, gate) = (Event(), Event())
        let server = try MockServer { request in
            stalled.signal()
            gate.block()
            return .data(Self.content)
        }
        let counted = CountedThreads()
        let downloads = (0..<100).map { number in
            Task {
                try await client.download(.get(server.url), to: directory.file("\(number)"), on: counted.dispatcher)
            }
        }
        await stalled.happened(100)
        #expect(server.openConnectionCount == 100)
        gate.signal()
        for (number, download) in downloads.enumerated() {
            let result = try await download.value
            #expect(result.byteCount == 300_000 && result.response?.status == .ok)
            #expect(try directory.read("\(number)") == Self.content)
        }
        #expect(counted.started.count <= 1 + CallbackExecutor.diskThreads)
        #expect(server.requestCount == 100)
    }

    @Test func `one with progress has a thread of its own, on which it is told`() async throws {
        let server = try MockServer { _ in .data(Self.content) }
        let told = Locked<[TransferProgress]>([])
        let threads = Locked<Set<Bool>>([])
        let download = try await client.download(
            .get(server.url), to: directory.file("a"),
            progress: { progress in
                told.withLock { $0.append(progress) }
                threads.withLock { _ = $0.insert(ThreadRole.agent == nil) }
            })
        #expect(download.fetchedByteCount == 300_000)
        #expect(told.withLock { $0.last?.isFinished } == true)
        #expect(threads.withLock { $0 } == [true])
    }

    @Test func `a retry on the loop asks for what is missing`() async throws {
        let isFirst = Locked(true)
        let server = try MockServer { request in
            let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let part = MockResponse.data(Array(Self.content[start...]), status: start > 0 ? .partialContent : .ok)
                .header("ETag", "\"v1\"").header("Content-Range", "bytes \(start)-299999/300000")
            let first = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            return first ? part.failing(.close(.midBody(after: 100_000))) : part
        }
        let retrying = client.intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .milliseconds(1)))))
        let download = try await retrying.download(.get(server.url), to: directory.file("a"))
        #expect(try directory.read("a") == Self.content)
        #expect(download.fetchedByteCount == 300_000 && download.response?.metrics.attemptCount == 2)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=100000-"])
    }

    @Test func `an error that is kept does not keep the next download from the part`() async throws {
        let number = Locked(0)
        let server = try MockServer { request in
            let turn = number.withLock { number in
                number += 1
                return number
            }
            let whole = MockResponse.data(Self.content).header("ETag", "\"v1\"")
            switch turn {
            case 1: return whole.failing(.close(.midBody(after: 100_000)))
            case 2: return .status(500)
            default:
                return .data(Array(Self.content[100_000...]), status: .partialContent).header("ETag", "\"v1\"")
                    .header("Content-Range", "bytes 100000-299999/300000")
            }
        }
        var errors: [HTTPError] = []
        for _ in 0..<2 {
            do throws(HTTPError) { _ = try await client.download(.get(server.url), to: directory.file("a")) } catch {
                errors.append(error)
            }
        }
        let download = try await client.download(.get(server.url), to: directory.file("a"))
        #expect(download.fetchedByteCount == 200_000)
        #expect(try directory.read("a") == Self.content)
        guard errors.count == 2, case .unacceptableStatus(let response) = errors[1] else {
            return #expect(Bool(false), "\(errors)")
        }
        #expect(response.status == 500 && server.requests.last?.headers["Range"] == "bytes=100000-")
    }

    @Test func `a file that is there ends the call without a request`() async throws {
        let server = try MockServer { _ in .data(Self.content) }
        try Data("there".utf8).write(to: URL(filePath: directory.file("a")))
        let download = try await client.detached.download(.get(server.url), to: directory.file("a"))
        #expect(download.byteCount == 5 && download.fetchedByteCount == 0 && download.response == nil)
        #expect(server.requestCount == 0)
    }
}
