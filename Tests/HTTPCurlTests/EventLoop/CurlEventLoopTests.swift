import TestSupport
import HTTPSupport

#if canImport(CLibcurl)
import CLibcurl
import Foundation
import HTTPMockServer
import HTTPTesting
import Synchronization
import Testing

import HTTPCore
@testable import HTTPCurl

/// Batches, and single calls.
@Suite(.timeLimit(.minutes(5)), .serialized) struct CurlEventLoopTests {
    private func makeLoop() throws -> CurlEventLoop {
        try CurlEventLoop(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
    }

    private func results(
        _ drafts: [MutableRequest], maxConcurrent: Int = 64,
        onResult: (Int, Result<Response, HTTPError>) -> Void = { _, _ in }
    ) throws -> [Result<Response, HTTPError>?] {
        let loop = try makeLoop()
        var results = [Result<Response, HTTPError>?](repeating: nil, count: drafts.count)
        let requests = try drafts.map { try Request($0) }
        withoutActuallyEscaping(onResult) { onResult in
            let batch = RequestBatch(requests: requests, maxConcurrent: maxConcurrent) { index, result in
                #expect(results[index] == nil)
                results[index] = result
                onResult(index, result)
            }
            CurlBatch(source: PlainSource(batch), defaultVersion: .automatic).run(in: loop)
        }
        return results
    }

    @Test func `a late response does not delay the others`() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try MockServer { request in
            if request.path == "/late" { gate.wait() }
            return .text(request.path)
        }
        let drafts = [MutableRequest.get(server.url("/late"))] + (0..<50).map { .get(server.url("/\($0)")) }
        var order: [Int] = []
        let results = try results(drafts, maxConcurrent: 8) { index, _ in
            order.append(index)
            if order.count == 50 { gate.signal() }
        }
        #expect(order.last == 0 && order.count == 51)
        #expect(try results[0]?.get().text() == "/late")
    }

    @Test func `large bodies go out and come back`() throws {
        let server = try MockServer { .data($0.body) }
        let bodies = (0..<8).map { [UInt8](repeating: UInt8($0), count: 700_000 + $0) }
        let results = try results(bodies.map { .post(server.url("/")) |> .data(Data($0)) })
        #expect(try results.map { try [UInt8]($0?.get().body ?? Data()) } == bodies)
        #expect(Set(server.requests.map(\.body.count)) == Set(bodies.map(\.count)))
    }

    @Test(.enabled(if: CurlLibrary.shared.buffersEachTransfer, "this libcurl has one buffer for all transfers"))
    func `beyond sixteen at once they receive small pieces, unless the previous body was large`() throws {
        let loop = try makeLoop()
        let server = try MockServer { .data([UInt8](repeating: 0, count: $0.path == "/large" ? 20_000 : 20)) }
        let small = try ["/small", "/large", "/large"].map { path in
            let request = try Request(.get(server.url(path)))
            let batch = RequestBatch(requests: Array(repeating: request, count: 20), maxConcurrent: 20) {
                #expect((try? $1.get())?.status == .ok)
            }
            CurlBatch(source: PlainSource(batch), defaultVersion: .automatic).run(in: loop)
            return loop.slots.count { $0.transfer?.receiveBuffer == 4096 }
        }
        // Calls that begin while at most sixteen are running receive large pieces.
        #expect(small == [4, 4, 0])
        #expect(server.requests.count == 60)
    }

    @Test(.enabled(if: CurlLibrary.shared.buffersEachTransfer, "this libcurl has one buffer for all transfers"))
    func `transfers beyond sixteen receive small pieces`() throws {
        let server = try MockServer { _ in .data([UInt8](repeating: 0, count: 200_000)) }
        let largest = Mutex([Int](repeating: 0, count: 20))
        let drafts = (0..<20).map { index in
            MutableRequest.get(server.url("/"))
                |> .destination(
                    .stream { _ in
                        BodySink(write: { bytes in
                            largest.withLock { $0[index] = max($0[index], bytes.count) }
                        })
                    })
        }
        let results = try results(drafts)
        #expect(try results.map { try $0?.get().bodyByteCount } == Array(repeating: 200_000, count: 20))
        let pieces = largest.withLock(\.self)
        #expect(pieces[16...].allSatisfy { $0 <= 4096 })
        #expect(pieces[..<16].contains { $0 > 4096 })
        #expect(server.requests.count == 20)
    }

    @Test func `a connection is looked for as soon as there may be one, or if one carries many`() throws {
        let server = try MockServer { _ in .text("ok") }
        let loop = try makeLoop()
        func looksForConnection(_ draft: MutableRequest) throws -> Bool {
            let request = try Request(draft)
            let batch = RequestBatch(requests: [request], maxConcurrent: 1) { _, _ in }
            CurlBatch(source: PlainSource(batch), defaultVersion: .automatic).run(in: loop)
            return try !#require(loop.slots.first?.transfer).requestOptions.wantsFreshConnection
        }
        #expect(try looksForConnection(.get("https://127.0.0.1:\(MockServer.unusedPort())/")))
        loop.connections.openedCount = 0
        #expect(try !looksForConnection(.get(server.url("/"))))
        #expect(try looksForConnection(.get(server.url("/"))))
        #expect(server.requestCount == 2 && server.connectionCount == 1)
    }

    @Test func `a body with Expect is sent after the server agrees`() throws {
        let server = try MockServer { .text("\($0.body.count)") }
        let draft = MutableRequest.post(server.url("/")) |> .text("words") |> .expectContinue(wait: .milliseconds(50))
        let results = try results([draft, draft])
        #expect(try results.map { try $0?.get().text() } == ["5", "5"])
    }

    @Test func `a call that is cancelled before a wait has ended when it is over`() throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        let loop = try makeLoop()
        let calls = try (0..<6).map { _ in SubmittedTestCall(try Request(.get(server.url("/")))) }
        for call in calls { loop.start(CurlCall(call.request, defaultVersion: .automatic), for: call) }
        for (index, call) in calls.enumerated() {
            let time = loop.runDue()
            call.cancel()
            loop.noteCancellation()
            loop.runReady(within: time)
            guard case .failure(.cancelled)? = call.result else { return unexpected(call.result as Any) }
            #expect(calls.count { $0.result != nil } == index + 1)
        }
        #expect(loop.active == 0)
    }

    @Test func `with the last call that runs out of time there is nothing to wait for`() throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        let loop = try makeLoop()
        let call = SubmittedTestCall(try Request(.get(server.url("/")) |> .timeout(.milliseconds(20))))
        loop.start(CurlCall(call.request, defaultVersion: .automatic), for: call)
        #expect(loop.runDue() > 0)
        // Of the clock there is no other event.
        _ = Signal().wait(until: .now + .milliseconds(30))
        #expect(loop.runDue() == 0)
        loop.runReady(within: 0)
        guard case .failure(.timedOut)? = call.result else { return unexpected(call.result as Any) }
        #expect(loop.active == 0)
    }

    @Test func `a transfer is kept for its origin while calls to others run`() throws {
        let servers = try (0..<2).map { _ in try MockServer { .text($0.path) } }
        let loop = try makeLoop()
        func make(_ url: String) throws -> CurlTransfer? {
            let call = SubmittedTestCall(try Request(.get(url)))
            loop.start(CurlCall(call.request, defaultVersion: .automatic), for: call)
            while loop.active > 0 { loop.runReady(within: loop.runDue()) }
            #expect(try call.result?.get().status == .ok)
            return loop.slots.first?.transfer
        }
        let first = try make(servers[0].url("/1"))
        #expect(try make(servers[1].url("/2")) !== first)
        #expect(try make(servers[0].url("/3")) === first)
        #expect(loop.slots.count == 1)
        #expect(servers.map(\.requestCount) == [2, 1] && servers[0].connectionCount == 1)
    }

    @Test func `the resources of a large batch are released after it`() throws {
        let server = try MockServer { _ in .text("ok") }
        let loop = try makeLoop()
        let request = try Request(.get(server.url("/")))
        for (count, kept) in [(loop.connections.mostTransfers, loop.connections.mostTransfers), (101, 0)] {
            let calls = (0..<count).map { _ in SubmittedTestCall(request) }
            for call in calls { loop.start(CurlCall(request, defaultVersion: .automatic), for: call) }
            while loop.active > 0 { loop.runReady(within: loop.runDue()) }
            #expect(try calls.allSatisfy { try $0.result?.get().status == .ok })
            loop.rest()
            #expect(loop.slots.count == kept)
        }
        #expect(server.requestCount == loop.connections.mostTransfers + 101)
    }

    @Test func `a large batch of oversized bodies leaves nothing to process`() throws {
        // Of unknown length, so that the body itself is refused.
        let server = try MockServer { _ in .text("too much").framed(.chunked(sizes: [3])) }
        let loop = try makeLoop()
        let draft = MutableRequest.get(server.url("/"))
        let request = try Request(draft |> .bodyLimit(1))
        let calls = (0...loop.connections.mostTransfers).map { _ in SubmittedTestCall(request) }
        for call in calls { loop.start(CurlCall(request, defaultVersion: .automatic), for: call) }
        while loop.active > 0 { loop.runReady(within: loop.runDue()) }
        for call in calls {
            guard case .failure(.limitExceeded)? = call.result else { return unexpected(call.result as Any) }
        }
        loop.rest()
        server.handler = { _ in .text("ok") }
        let next = SubmittedTestCall(try Request(draft))
        loop.start(CurlCall(next.request, defaultVersion: .automatic), for: next)
        while loop.active > 0 { loop.runReady(within: loop.runDue()) }
        #expect(try next.result?.get().text() == "ok")
        #expect(server.requestCount == calls.count + 1)
    }
}

/// libcurl can lose a timer, so all transfers are checked once per second. The points in time are given.
@Suite(.timeLimit(.minutes(5))) struct CurlRoundTests {
    /// A call whose answer has begun, in a loop that does not know its socket, as if libcurl had lost it.
    private final class LostCall {
        private let loop: CurlEventLoop
        private let transfer: CurlTransfer
        private var call: CurlCall
        private let server: MockServer
        private let mayAnswer = DispatchSemaphore(value: 0)

        init(in loop: CurlEventLoop) throws {
            server = try MockServer { [mayAnswer] _ in
                mayAnswer.wait()
                return .text("found").failing(.stall(.midBody(after: 1)))
            }
            self.loop = loop
            call = CurlCall(try Request(.get(server.url("/"))), defaultVersion: .automatic)
            transfer = try loop.connections.transfer(for: call.key)
            // The loop does not know it.
            transfer.exchange.log = nil
            #expect(call.begin(in: transfer, at: .now) == nil)
            #expect(loop.multi.add(transfer) == nil)
            // Until libcurl has nothing due soon: that would be a check.
            for _ in 0..<3000 where server.requestCount == 0 { run() }
            try #require(server.requestCount == 1)
            for _ in 0..<100 where (loop.multi.timeout ?? .max) < 5000 { run() }
            mayAnswer.signal()
            loop.sockets.wait(milliseconds: 30_000)
            #expect(loop.sockets.events.count == 1)
            for event in loop.sockets.events { loop.sockets.note(event.socket, CInt(CURL_POLL_REMOVE)) }
        }

        deinit { loop.multi.remove(transfer) }

        private func run() {
            #expect(loop.multi.socketActionAll() != nil)
            loop.sockets.wait(milliseconds: 10)
        }

        var hasBeenLookedAt: Bool { transfer.exchange.hasResponseBegun }
    }

    @Test func `however many wake-ups there are meanwhile`() throws {
        let loop = try CurlEventLoop(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        let start = TimePoint.now
        _ = loop.runDue(at: start)
        let call = try LostCall(in: loop)
        for tenth in 1...9 {
            loop.wake()
            loop.runReady(within: 0)
            _ = loop.runDue(at: start + .milliseconds(100 * tenth))
        }
        _ = loop.runDue(at: start + .milliseconds(999))
        #expect(!call.hasBeenLookedAt)
        _ = loop.runDue(at: start + .seconds(1))
        #expect(call.hasBeenLookedAt)
    }
}
#endif
