#if canImport(CLibcurl)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Testing

@testable import HTTPCore
@testable import HTTPTesting

/// How a call is begun by a thread that may not sleep. That thread is the test's.
@Suite(.enabled(if: CurlLibrary.shared.resolvesAside, "this libcurl waits for names"), .timeLimit(.minutes(1)))
struct CurlFeedLoopTests {
    private struct Desk {
        let server: MockServer
        let transport = CurlTransport()
        let hub: CurlHub
        let loop: CurlFeedLoop

        init(isWide: Bool = true, _ answer: @escaping @Sendable (ReceivedRequest) -> MockResponse) throws {
            server = try MockServer { answer($0) }
            hub = try CurlHub(
                CurlConfiguration(), CurlHeaderLists(userAgent: nil),
                outlook: CurlOutlook(isWide: isWide, isFixed: true))
            loop = CurlFeedLoop(transport.feed, in: hub)
        }

        func request(_ path: String) throws -> Request { try Request(.get(server.url(path))) }

        /// Makes a call as the driver does.
        func make(_ request: Request) throws -> Response? {
            let call = FedTestCall(request)
            #expect(transport.feed.submit(call, isAwaitedHere: true))
            loop.makeCalls()?.tell()
            // As if no thread had come.
            #expect(transport.feed.refuseThread().isEmpty)
            return try call.result?.get()
        }

        /// So that it has been used again.
        func useConnection() throws { for _ in 0..<2 { _ = try make(request("/")) } }

        func begin(
            _ call: FedTestCall, mayLook: Bool = false, unless isInterrupted: () -> Bool = { false }
        ) -> Bool {
            loop.begin(call, defaultVersion: .automatic, mayLook: mayLook, unless: isInterrupted)
        }
    }

    private static func late(_ request: ReceivedRequest) -> MockResponse {
        let isLate = request.path.hasPrefix("/late")
        return .text(request.path).delayed(head: .milliseconds(isLate ? 100 : 0))
    }

    @Test func `a call is sent at once, and whoever has the loop next goes on with it`() throws {
        let desk = try Desk(Self.late)
        try desk.useConnection()
        let call = FedTestCall(try desk.request("/late"))
        #expect(desk.begin(call))
        try desk.server.waitForRequestCount(3)
        #expect(call.result == nil)
        desk.loop.makeCalls()?.tell()
        #expect(try call.result?.get().text() == "/late")
        #expect(desk.server.requests.map(\.path) == ["/", "/", "/late"])
        #expect(desk.server.connectionCount == 1)
    }

    @Test func `what it takes time to begin is refused`() throws {
        let desk = try Desk(Self.late)
        let first = FedTestCall(try desk.request("/first"))
        #expect(!desk.begin(first))
        _ = try desk.make(desk.request("/"))
        // It may be closed after each.
        #expect(!desk.begin(first))
        _ = try desk.make(desk.request("/"))
        let elsewhere = try MockServer { .text($0.path) }
        #expect(!desk.begin(FedTestCall(try Request(.get(elsewhere.url("/"))))))
        let long = Data(repeating: 0, count: CurlRequestOptions.inlineBody + 1)
        #expect(!desk.begin(FedTestCall(try Request(.post(desk.server.url("/")) |> .data(long)))))
        #expect(desk.begin(FedTestCall(try Request(.post(desk.server.url("/")) |> .data(long.dropLast())))))
        // There is one under way now.
        #expect(!desk.begin(FedTestCall(try desk.request("/second"))))
        desk.loop.makeCalls()?.tell()
        #expect(desk.server.requests.map(\.path) == ["/", "/", "/"])
        #expect(elsewhere.connectionCount == 0)
    }

    @Test func `where only sockets that are ready are looked at, all is refused`() throws {
        let desk = try Desk(isWide: false, Self.late)
        try desk.useConnection()
        #expect(!desk.begin(FedTestCall(try desk.request("/"))))
    }

    @Test func `a call that fails at once is over`() throws {
        let desk = try Desk(Self.late)
        try desk.useConnection()
        let call = FedTestCall(try desk.request("/"))
        call.cancel()
        #expect(desk.begin(call))
        #expect(call.result == nil)
        desk.loop.takeLast()?.tell()
        guard case .failure(.cancelled)? = call.result else { return unexpected(call.result as Any) }
        #expect(desk.server.requestCount == 2)
    }

    @Test func `of calls that end at once each is told, and before those that take time`() throws {
        let desk = try Desk(Self.late)
        let calls = try ["/a", "/b", "/late"].map { FedTestCall(try desk.request($0)) }
        for call in calls.prefix(2) { call.cancel() }
        for call in calls { _ = desk.transport.feed.submit(call, isAwaitedHere: false) }
        let last = desk.loop.makeCalls()
        for call in calls.prefix(2) {
            guard case .failure(.cancelled)? = call.result else { return unexpected(call.result as Any) }
        }
        #expect(calls[2].result == nil)
        last?.tell()
        #expect(try calls[2].result?.get().text() == "/late")
        #expect(desk.server.requests.map(\.path) == ["/late"])
    }

    @Test func `a call that ends at once is told while another is under way`() throws {
        let desk = try Desk(Self.late)
        let late = FedTestCall(try desk.request("/late"))
        let early = FedTestCall(try desk.request("/")) { #expect(late.result == nil && desk.server.requestCount == 0) }
        early.cancel()
        for call in [early, late] { _ = desk.transport.feed.submit(call, isAwaitedHere: false) }
        desk.loop.makeCalls()?.tell()
        #expect(early.result != nil)
        #expect(try late.result?.get().text() == "/late")
    }

    // MARK: The look

    /// One that looks, and after one look in vain does not.
    private var looking: Patience {
        var patience = Patience()
        patience.noteWaking(after: .zero)
        return patience
    }

    @Test func `an answer that comes at once is there when the call was begun`() throws {
        let desk = try Desk(Self.late)
        try desk.useConnection()
        // With other tests about, few are answered soon enough.
        for _ in 0..<20_000 {
            desk.hub.patience = looking
            let call = FedTestCall(try desk.request("/soon"))
            #expect(desk.begin(call, mayLook: true))
            guard let ending = desk.loop.takeLast() else {
                desk.loop.makeCalls()?.tell()
                continue
            }
            ending.tell()
            #expect(try call.result?.get().text() == "/soon")
            return
        }
        Issue.record("none was answered while it was looked for")
    }

    @Test func `a look takes a moment, and is made only where it may be`() throws {
        let desk = try Desk(Self.late)
        try desk.useConnection()
        for (mayLook, patience) in [(true, looking), (false, looking), (true, Patience())] {
            desk.hub.patience = patience
            var looks = 0
            let call = FedTestCall(try desk.request("/late"))
            let beginning = desk.begin(call, mayLook: mayLook) {
                looks += 1
                return false
            }
            #expect(beginning && desk.loop.takeLast() == nil)
            #expect((looks > 0) == (mayLook && patience.mayLook))
            #expect(desk.hub.patience.mayLook == (patience.mayLook && !mayLook))
            desk.loop.makeCalls()?.tell()
            #expect(try call.result?.get().text() == "/late")
        }
    }

    @Test func `one that is interrupted is over, and was not in vain`() throws {
        let desk = try Desk(Self.late)
        try desk.useConnection()
        // Time may pass between two looks, with other tests about.
        for _ in 0..<50 {
            desk.hub.patience = looking
            var looks = 0
            let call = FedTestCall(try desk.request("/late"))
            #expect(
                desk.begin(call, mayLook: true) {
                    looks += 1
                    return true
                })
            #expect(looks == 1)
            let wasInVain = !desk.hub.patience.mayLook
            desk.loop.makeCalls()?.tell()
            #expect(try call.result?.get().text() == "/late")
            if !wasInVain { return }
        }
        Issue.record("each was in vain")
    }

    /// A connection that was used twice, for calls of `request`, and the other end of it.
    private func connection(of desk: Desk) throws -> (request: Request, end: LoopbackSocket) {
        let listener = try LoopbackListener(binding: .ipv4(), backlog: 1)
        let (stop, end) = (try WakeSignal(), Locked<LoopbackSocket?>(nil))
        let server = TestThread {
            guard listener.waitForConnection(or: stop), case .connection(let socket) = listener.accept() else { return }
            for _ in 0..<2 where socket.waitForArrival(or: stop, timeout: nil) == .watched {
                socket.discardArrived()
                _ = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8).withUnsafeBytes(socket.write)
            }
            end.withLock { $0 = socket }
        }
        let request = try Request(.get("http://127.0.0.1:\(listener.endpoint.port)/"))
        for _ in 0..<2 { #expect(try desk.make(request)?.status == .ok) }
        server.join()
        return (request, try #require(end.withLock { $0 }))
    }

    @Test func `an answer that comes in many pieces is looked for no longer than one that does not come`() throws {
        let desk = try Desk(Self.late)
        let (request, end) = try connection(of: desk)
        var rest = Array("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n".utf8)[...]
        rest += [UInt8](repeating: 0, count: 20_000)
        desk.hub.patience = looking
        var (start, lateLooks) = (TimePoint?.none, 0)
        let call = FedTestCall(request)
        let beginning = desk.begin(call, mayLook: true) {
            let now = TimePoint.now
            start = start ?? now
            if let start, start.span(to: now) > Patience.longestLook { lateLooks += 1 }
            // The next look finds the next piece.
            _ = rest.prefix(1).withUnsafeBytes(end.write)
            rest = rest.dropFirst()
            return false
        }
        #expect(beginning && desk.loop.takeLast() == nil)
        // That it was the last is seen after it.
        #expect(start != nil && lateLooks <= 1)
        _ = rest.withUnsafeBytes(end.write)
        desk.loop.makeCalls()?.tell()
        #expect(try call.result?.get().bodyByteCount == 20_000)
    }

    @Test func `after a long body the next is not looked for`() throws {
        let long = Data(repeating: 0, count: Int(CurlExchange.longBody) + 1)
        let desk = try Desk { $0.path == "/long" ? MockResponse(body: Array(long)) : Self.late($0) }
        try desk.useConnection()
        #expect(try desk.make(desk.request("/long"))?.bodyByteCount == Int64(long.count))
        desk.hub.patience = looking
        let call = FedTestCall(try desk.request("/late"))
        let beginning = desk.begin(call, mayLook: true) {
            Issue.record("looked")
            return true
        }
        #expect(beginning && desk.loop.takeLast() == nil)
        desk.loop.makeCalls()?.tell()
        #expect(try call.result?.get().text() == "/late")
    }
}
#endif
