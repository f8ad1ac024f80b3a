#if canImport(CLibcurl)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTesting
import Testing

@testable import HTTPCore

/// How a call is begun by a thread that may not sleep. That thread is the test's.
@Suite(.enabled(if: CurlLibrary.shared.resolvesAside, "this libcurl waits for names"), .timeLimit(.minutes(1)))
struct CurlFeedLoopTests {
    /// A feed whose loop has made a call to `/`.
    private struct Desk {
        let server: MockServer
        let transport = CurlTransport()
        let hub: CurlHub
        let loop: CurlFeedLoop

        init(isWide: Bool = true, _ answer: @escaping @Sendable (ReceivedRequest) -> MockResponse) throws {
            server = try MockServer { answer($0) }
            hub = try CurlHub(CurlConfiguration(), outlook: CurlOutlook(isWide: isWide, isFixed: true))
            loop = CurlFeedLoop(transport.feed, in: hub)
        }

        func request(_ path: String) throws -> Request { try Request(.get(server.url(path))) }

        /// Makes a call as the driver does.
        func make(_ request: Request) throws -> Response? {
            let call = FedTestCall(request)
            #expect(transport.feed.submit(call, from: .task))
            loop.makeCalls()?.tell()
            // As if no thread had come.
            #expect(transport.feed.refuseThread().isEmpty)
            return try call.result?.get()
        }

        func begin(
            _ call: FedTestCall, mayLook: Bool = false, unless isInterrupted: () -> Bool = { false }
        ) -> CurlFeedLoop.Beginning {
            loop.begin(
                call, as: CurlTransfer.Key(call.request, defaultVersion: .automatic), mayLook: mayLook,
                unless: isInterrupted)
        }
    }

    private static func late(_ request: ReceivedRequest) -> MockResponse {
        let isLate = request.path.hasPrefix("/late")
        return .text(request.path).delayed(head: .milliseconds(isLate ? 100 : 0))
    }

    @Test func `a call is sent at once, and whoever has the loop next goes on with it`() throws {
        let desk = try Desk(Self.late)
        _ = try desk.make(desk.request("/"))
        let call = FedTestCall(try desk.request("/late"))
        #expect(desk.begin(call).isUnderWay)
        try desk.server.waitForRequestCount(2)
        #expect(call.result == nil)
        desk.loop.makeCalls()?.tell()
        #expect(try call.result?.get().text() == "/late")
        #expect(desk.server.requests.map(\.path) == ["/", "/late"])
        #expect(desk.server.connectionCount == 1)
    }

    @Test func `what it takes time to begin is refused`() throws {
        let desk = try Desk(Self.late)
        let first = FedTestCall(try desk.request("/first"))
        #expect(desk.begin(first).isRefused)
        _ = try desk.make(desk.request("/"))
        let elsewhere = try MockServer { .text($0.path) }
        #expect(desk.begin(FedTestCall(try Request(.get(elsewhere.url("/"))))).isRefused)
        let long = Data(repeating: 0, count: CurlRequestOptions.inlineBody + 1)
        #expect(desk.begin(FedTestCall(try Request(.post(desk.server.url("/")) |> .data(long)))).isRefused)
        #expect(desk.begin(FedTestCall(try Request(.post(desk.server.url("/")) |> .data(long.dropLast())))).isUnderWay)
        // There is one under way now.
        #expect(desk.begin(FedTestCall(try desk.request("/second"))).isRefused)
        desk.loop.makeCalls()?.tell()
        #expect(desk.server.requests.map(\.path) == ["/", "/"])
        #expect(elsewhere.connectionCount == 0)
    }

    @Test func `where only sockets that are ready are looked at, all is refused`() throws {
        let desk = try Desk(isWide: false, Self.late)
        _ = try desk.make(desk.request("/"))
        #expect(desk.begin(FedTestCall(try desk.request("/"))).isRefused)
    }

    @Test func `a call that fails at once is over`() throws {
        let desk = try Desk(Self.late)
        _ = try desk.make(desk.request("/"))
        let call = FedTestCall(try desk.request("/"))
        call.cancel()
        if case .ended(let ending) = desk.begin(call) { ending.tell() }
        guard case .failure(.cancelled)? = call.result else { return unexpected(call.result as Any) }
        #expect(desk.server.requestCount == 1)
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
        _ = try desk.make(desk.request("/"))
        // With other tests about, few are answered soon enough.
        for _ in 0..<20_000 {
            desk.hub.patience = looking
            let call = FedTestCall(try desk.request("/soon"))
            guard case .ended(let ending) = desk.begin(call, mayLook: true) else {
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
        _ = try desk.make(desk.request("/"))
        for (mayLook, patience) in [(true, looking), (false, looking), (true, Patience())] {
            desk.hub.patience = patience
            var looks = 0
            let call = FedTestCall(try desk.request("/late"))
            let beginning = desk.begin(call, mayLook: mayLook) {
                looks += 1
                return false
            }
            #expect(beginning.isUnderWay)
            #expect((looks > 0) == (mayLook && patience.mayLook))
            #expect(desk.hub.patience.mayLook == (patience.mayLook && !mayLook))
            desk.loop.makeCalls()?.tell()
            #expect(try call.result?.get().text() == "/late")
        }
    }

    @Test func `one that is interrupted is over, and was not in vain`() throws {
        let desk = try Desk(Self.late)
        _ = try desk.make(desk.request("/"))
        // Time may pass between two looks, with other tests about.
        for _ in 0..<50 {
            desk.hub.patience = looking
            var looks = 0
            let call = FedTestCall(try desk.request("/late"))
            #expect(
                desk.begin(call, mayLook: true) {
                    looks += 1
                    return true
                }.isUnderWay)
            #expect(looks == 1)
            let wasInVain = !desk.hub.patience.mayLook
            desk.loop.makeCalls()?.tell()
            #expect(try call.result?.get().text() == "/late")
            if !wasInVain { return }
        }
        Issue.record("each was in vain")
    }

    @Test func `after a long body the next is not looked for`() throws {
        let long = Data(repeating: 0, count: Int(CurlExchange.longBody) + 1)
        let desk = try Desk { $0.path == "/long" ? MockResponse(body: Array(long)) : Self.late($0) }
        #expect(try desk.make(desk.request("/long"))?.bodyByteCount == Int64(long.count))
        desk.hub.patience = looking
        let call = FedTestCall(try desk.request("/late"))
        let beginning = desk.begin(call, mayLook: true) {
            Issue.record("looked")
            return true
        }
        #expect(beginning.isUnderWay)
        desk.loop.makeCalls()?.tell()
        #expect(try call.result?.get().text() == "/late")
    }
}

extension CurlFeedLoop.Beginning {
    fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
    fileprivate var isUnderWay: Bool { if case .underWay = self { true } else { false } }
}
#endif
