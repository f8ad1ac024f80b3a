#if canImport(CLibcurl)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTesting
import Testing

@testable import HTTPCore

/// The look for what comes next, before a thread goes to sleep.
@Suite(.timeLimit(.minutes(1))) struct MomentaryLookTests {
    /// One that looks. After a look in vain it takes two things in a row that come soon, and otherwise one.
    private var looking: Patience {
        var patience = Patience()
        patience.noteLook(.zero, found: false)
        patience.noteWaking(after: .zero)
        return patience
    }

    /// One that looks, and after a look in vain not again before very many things in a row have come soon.
    private var lookingOnce: Patience {
        var patience = Patience()
        for _ in 0..<100 { patience.noteLook(.zero, found: false) }
        while !patience.mayLook { patience.noteWaking(after: .zero) }
        return patience
    }

    /// One that does not look, but would if one more thing came soon.
    private var wary: Patience {
        var patience = looking
        patience.noteLook(.zero, found: false)
        patience.noteWaking(after: .zero)
        return patience
    }

    private func looksAfterOneMore(_ patience: Patience) -> Bool {
        var patience = patience
        patience.noteWaking(after: .zero)
        return patience.mayLook
    }

    @Test func `without a reason to there is no look`() {
        var patience = wary
        let found = patience.look(from: .now) {
            Issue.record("looked")
            return true
        }
        #expect(!found)
        #expect(looksAfterOneMore(patience))
    }

    @Test func `a look is over as soon as something has come, and was worth it`() {
        var patience = looking
        var looks = 0
        // In the future, so that no time passes.
        let found = patience.look(from: .now + .seconds(3600)) {
            looks += 1
            return looks == 3
        }
        #expect(found && looks == 3 && patience.mayLook)
    }

    @Test func `a look that takes too long is over, and was in vain`() {
        var patience = looking
        #expect(!patience.look(from: .now) { false })
        #expect(!patience.mayLook)
    }

    private func lateServer() throws -> MockServer {
        try MockServer { .text($0.target).delayed(head: .milliseconds(100)) }
    }

    /// The patience of a lane that has made a blocking call, which was answered late, over a connection that stood or not.
    private func patience(afterLateAnswer patience: Patience, isFirst: Bool = false) throws -> Patience {
        let server = try lateServer()
        let client = CurlTransport()
        let request = try Request(.get(server.url("/late")))
        if !isFirst { _ = try client.executeRequest(request).get() }
        let lane = try client.pool.checkOut(CurlCall(request, defaultVersion: .automatic).key, at: .now)
        lane.patience = patience
        client.pool.checkIn(lane)
        #expect(try client.executeRequest(request).get().text() == "/late")
        #expect(server.requests.map(\.target) == (isFirst ? ["/late"] : ["/late", "/late"]))
        return lane.patience
    }

    @Test func `a blocking call looks for its answer where that pays off`() throws {
        #expect(try !looksAfterOneMore(patience(afterLateAnswer: looking)))
    }

    @Test func `a blocking call that sleeps takes note of how long`() throws {
        #expect(try !looksAfterOneMore(patience(afterLateAnswer: wary)))
    }

    @Test func `a blocking call does neither before it is known that the server is on this machine`() throws {
        #expect(try patience(afterLateAnswer: looking, isFirst: true).mayLook)
        #expect(try looksAfterOneMore(patience(afterLateAnswer: wary, isFirst: true)))
    }

    /// The patience of a hub that has made calls one after the other, each of which was answered late.
    private func patience(_ patience: Patience, afterLateAnswers count: Int) throws -> Patience {
        let server = try lateServer()
        let hub = try CurlHub(
            CurlConfiguration(), CurlHeaderLists(userAgent: nil), outlook: CurlOutlook(isWide: true, isFixed: true))
        hub.patience = patience
        let requests = try (0..<count).map { try Request(.get(server.url("/\($0)"))) }
        var texts: [String?] = []
        let batch = RequestBatch(requests: requests, maxConcurrent: 1, tokens: []) { _, result in
            texts.append(try? result.get().text())
        }
        CurlBatch(batch, defaultVersion: .automatic).run(in: hub)
        #expect(Set(texts) == Set(requests.indices.map { "/\($0)" }))
        return hub.patience
    }

    @Test func `a thread with one of many calls looks for its answer, once the server is known to be on this machine`()
        throws
    {
        #expect(try patience(looking, afterLateAnswers: 1).mayLook)
        #expect(try !looksAfterOneMore(patience(looking, afterLateAnswers: 2)))
    }

    @Test(arguments: [(8, true), (9, false)])
    func `of more than eight calls under way no answer is looked for`(count: Int, looks: Bool) throws {
        let server = try MockServer { $0.target == "/late" ? .text("").delayed(head: .seconds(20)) : .text("") }
        let hub = try CurlHub(
            CurlConfiguration(), CurlHeaderLists(userAgent: nil), outlook: CurlOutlook(isWide: true, isFixed: true))
        hub.patience = lookingOnce
        let requests = try ["/", "/late"].flatMap { Array(repeating: try Request(.get(server.url($0))), count: count) }
        var timeouts = 0
        let batch = RequestBatch(requests: requests, maxConcurrent: count, tokens: []) { _, result in
            if case .failure(.timedOut) = result { timeouts += 1 }
        }
        // One for all, so that they end together.
        CallDeadline(.seconds(1)).run { CurlBatch(batch, defaultVersion: .automatic).run(in: hub) }
        #expect(timeouts == count)
        #expect(server.requestCount == 2 * count)
        #expect(hub.patience.mayLook == !looks)
    }

    @Test(arguments: [true, false])
    func `a thread that may have many calls under way looks only where it may`(mayLook: Bool) throws {
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        hub.patience = looking
        hub.wait(milliseconds: 1, from: .now, looks: mayLook)
        #expect(looksAfterOneMore(hub.patience) == !mayLook)
    }

    @Test(arguments: [true, false])
    func `and only there takes note of a short wait`(mayLook: Bool) throws {
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        hub.alarm.waker.wake()
        // In the future, so that no time passes.
        hub.wait(milliseconds: 1000, from: .now + .seconds(3600), looks: mayLook)
        #expect(hub.patience.mayLook == mayLook)
    }

    @Test func `a wait in which nothing came says nothing of how soon it would have`() throws {
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        hub.wait(milliseconds: 1, from: .now + .seconds(3600), looks: true)
        #expect(!hub.patience.mayLook)
    }

    @Test func `there is no look where something is due`() throws {
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        hub.patience = looking
        let key = CurlTransfer.Key(origin: try Request(.get("http://localhost/")).url.origin, version: .automatic)
        let transfer = try hub.transfer(for: key, active: 1)
        #expect(hub.multi.add(transfer) == nil)
        hub.wait(milliseconds: 1000, from: .now, looks: true)
        let isReady = hub.look(at: nil, from: .now) {
            Issue.record("looked")
            return true
        }
        #expect(!isReady)
        hub.multi.remove(transfer)
        #expect(hub.patience.mayLook)
    }

    // MARK: When and where there is one

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1", true), ("127.9.9.9", "127.0.0.1", true), ("::1", "::1", true),
        ("10.0.0.7", "10.0.0.7", true), ("10.0.0.7", "10.0.0.8", false), ("fe80::1", "fe80::2", false),
        ("12.7.0.1", "10.0.0.8", false), (nil, nil, false),
    ])
    func `a server is on this machine if it is reached from its own address, or within 127_0_0_0`(
        remote: String?, local: String?, isLocal: Bool
    ) {
        #expect(CurlRoute.isLocal(remote, from: local) == isLocal)
    }

    @Test func `an answer is awaited from when the request is out until much of a long one has come`() throws {
        var exchange = CurlExchange(keepsHead: false)
        let request = try Request(.post("http://localhost/") |> .data(Data("body".utf8)))
        exchange.begin(CallPlan(request).position)
        #expect(!exchange.awaitsResponse)
        _ = exchange.maySend(
            between: CurlEnds(remoteAddress: nil, remotePort: 0, localAddress: nil, localPort: 0))
        #expect(exchange.awaitsResponse)
        exchange.upload.set(try request.openBody())
        #expect(!exchange.awaitsResponse)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { room.deallocate() }
        while exchange.giveBody(into: room) != 0 {}
        #expect(exchange.awaitsResponse)
        room.initializeMemory(as: UInt8.self, repeating: 0)
        for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
            _ = line.withCString { exchange.takeHeaderLine(.init(start: $0, count: line.utf8.count)) }
        }
        _ = exchange.takeBody(.init(rebasing: room.dropLast()))
        #expect(exchange.awaitsResponse)
        _ = exchange.takeBody(.init(rebasing: room.prefix(1)))
        #expect(!exchange.awaitsResponse)
    }
}
#endif
