#if canImport(CLibcurl)
import CLibcurl
import Foundation
import HTTPTesting
import Synchronization
import Testing

@testable import HTTPCore

/// The same whether the loop looks at all transfers in each turn or only at those that are ready.
@Suite(.timeLimit(.minutes(1)), .serialized) struct CurlLoopTests {
    /// An outlook that stays.
    enum Outlook: CaseIterable {
        case wide, narrow

        var outlook: CurlOutlook { CurlOutlook(isWide: self == .wide, isFixed: true) }
    }

    private func results(
        _ outlook: Outlook, _ drafts: [MutableRequest], maxConcurrent: Int = 64, tokens: [CancellationToken?] = [],
        onResult: (Int, Result<Response, HTTPError>) -> Void = { _, _ in }
    ) throws -> [Result<Response, HTTPError>?] {
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil), outlook: outlook.outlook)
        var results = [Result<Response, HTTPError>?](repeating: nil, count: drafts.count)
        let requests = try drafts.map { try Request($0) }
        withoutActuallyEscaping(onResult) { onResult in
            let batch = RequestBatch(requests: requests, maxConcurrent: maxConcurrent, tokens: tokens) {
                index, result in
                #expect(results[index] == nil)
                results[index] = result
                onResult(index, result)
            }
            CurlBatch(batch, defaultVersion: .automatic).run(in: hub)
        }
        return results
    }

    @Test(arguments: Outlook.allCases)
    func `each request is answered once, over no more connections than may be`(outlook: Outlook) throws {
        let server = try MockServer { .text($0.target) }
        let results = try results(outlook, (0..<200).map { .get(server.url("/\($0)")) }, maxConcurrent: 16)
        let texts = try results.map { try $0?.get().text() }
        #expect(texts == (0..<200).map { "/\($0)" })
        #expect(server.requests.map(\.target).sorted() == (0..<200).map { "/\($0)" }.sorted())
        #expect(Set(try results.map { try $0?.get().metrics.localPort }).count <= 16)
    }

    @Test(arguments: Outlook.allCases)
    func `one that is answered late holds up none of the others`(outlook: Outlook) throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try MockServer { request in
            if request.path == "/late" { gate.wait() }
            return .text(request.path)
        }
        let drafts = [MutableRequest.get(server.url("/late"))] + (0..<50).map { .get(server.url("/\($0)")) }
        var order: [Int] = []
        let results = try results(outlook, drafts, maxConcurrent: 8) { index, _ in
            order.append(index)
            if order.count == 50 { gate.signal() }
        }
        #expect(order.last == 0 && order.count == 51)
        #expect(try results[0]?.get().text() == "/late")
    }

    @Test(arguments: Outlook.allCases)
    func `large bodies go out and come back`(outlook: Outlook) throws {
        let server = try MockServer { .bytes($0.body) }
        let bodies = (0..<8).map { [UInt8](repeating: UInt8($0), count: 700_000 + $0) }
        let results = try results(outlook, bodies.map { .post(server.url("/")) |> .data(Data($0)) })
        #expect(try results.map { try [UInt8]($0?.get().body ?? Data()) } == bodies)
        #expect(Set(server.requests.map(\.body.count)) == Set(bodies.map(\.count)))
    }

    @Test(.enabled(if: CurlLibrary.shared.buffersEachTransfer, "this libcurl has one buffer for all transfers"))
    func `beyond sixteen at once they are told to receive small pieces, unless the body before was large`() throws {
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        let server = try MockServer { .bytes([UInt8](repeating: 0, count: $0.path == "/large" ? 20_000 : 20)) }
        let small = try ["/small", "/large", "/large"].map { path in
            let request = try Request(.get(server.url(path)))
            let batch = RequestBatch(requests: Array(repeating: request, count: 20), maxConcurrent: 20, tokens: []) {
                #expect((try? $1.get())?.status == .ok)
            }
            CurlBatch(batch, defaultVersion: .automatic).run(in: hub)
            let key = CurlTransfer.Key(origin: request.url.origin, version: .automatic)
            let transfers = try (0..<20).map { _ in try hub.transfer(for: key, active: 1) }
            for transfer in transfers { hub.keep(transfer, at: .now) }
            return transfers.count { $0.receiveBuffer == 4096 }
        }
        // Those that begin while no more than sixteen are under way receive large pieces.
        #expect(small == [4, 4, 0])
        #expect(server.requests.count == 60)
    }

    @Test(.enabled(if: CurlLibrary.shared.buffersEachTransfer, "this libcurl has one buffer for all transfers"))
    func `what those beyond sixteen receive comes in small pieces`() throws {
        let server = try MockServer { _ in .bytes([UInt8](repeating: 0, count: 200_000)) }
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
        let results = try results(.wide, drafts)
        #expect(try results.map { try $0?.get().bodyByteCount } == Array(repeating: 200_000, count: 20))
        let pieces = largest.withLock(\.self)
        #expect(pieces[16...].allSatisfy { $0 <= 4096 })
        #expect(pieces[..<16].contains { $0 > 4096 })
        #expect(server.requests.count == 20)
    }

    @Test func `a connection is looked for as soon as there may be one, or where one carries many`() throws {
        let server = try MockServer { _ in .text("ok") }
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        func looksForConnection(_ draft: MutableRequest) throws -> Bool {
            let request = try Request(draft)
            let batch = RequestBatch(requests: [request], maxConcurrent: 1, tokens: []) { _, _ in }
            CurlBatch(batch, defaultVersion: .automatic).run(in: hub)
            let transfer = try hub.transfer(for: CurlCall(request, defaultVersion: .automatic).key, active: 1)
            defer { hub.keep(transfer, at: .now) }
            return !transfer.requestOptions.wantsFreshConnection
        }
        #expect(try looksForConnection(.get("https://127.0.0.1:\(MockServer.unusedPort())/")))
        hub.openedCount = 0
        #expect(try !looksForConnection(.get(server.url("/"))))
        #expect(try looksForConnection(.get(server.url("/"))))
        #expect(server.requestCount == 2 && server.connectionCount == 1)
    }

    @Test(arguments: Outlook.allCases)
    func `redirects are followed, each time on a new connection`(outlook: Outlook) throws {
        let server = try MockServer { request in
            request.path == "/from" ? .redirect(to: "/to") : MockResponse.text(request.path).closing()
        }
        let drafts = (0..<6).map { MutableRequest.get(server.url($0 % 2 == 0 ? "/from" : "/there")) }
        let results = try results(outlook, drafts, maxConcurrent: 2)
        #expect(try results.map { try $0?.get().text() } == ["/to", "/there", "/to", "/there", "/to", "/there"])
        #expect(server.requests.map(\.path).count { $0 == "/to" } == 3)
    }

    @Test(arguments: Outlook.allCases)
    func `what is silent ends by its deadline, and what is refused at once`(outlook: Outlook) throws {
        let server = try MockServer { $0.path == "/silent" ? .fault(.stall(.beforeHead)) : .text("ok") }
        let closed = try MockServer.unusedPort()
        let results = try results(
            outlook,
            [
                .get(server.url("/silent")) |> .timeout(.milliseconds(100)), .get("http://127.0.0.1:\(closed)/"),
                .get(server.url("/silent")) |> .idleTimeout(.milliseconds(50)), .get(server.url("/a")),
            ])
        guard case .failure(.timedOut(let total))? = results[0], case .failure(.connection(let refused))? = results[1],
            case .failure(.timedOut(let idle))? = results[2]
        else {
            Issue.record("\(results)")
            return
        }
        #expect(total.limit == .total && idle.limit == .idle && refused.reason == .refused)
        #expect(try results[3]?.get().status == .ok)
    }

    @Test(arguments: Outlook.allCases)
    func `a request is cancelled while all wait`(outlook: Outlook) throws {
        let token = CancellationToken()
        let hasArrived = DispatchSemaphore(value: 0)
        let server = try MockServer { _ in
            hasArrived.signal()
            return .fault(.stall(.beforeHead))
        }
        Thread.detachNewThread {
            for _ in 0..<3 { hasArrived.wait() }
            token.cancel()
        }
        let silent = MutableRequest.get(server.url("/")) |> .timeout(.seconds(50))
        let results = try results(outlook, [silent, silent, silent], tokens: [token, token, token])
        for result in results {
            guard case .failure(.cancelled)? = result else {
                Issue.record("\(String(describing: result))")
                return
            }
        }
        #expect(server.requestCount == 3)
    }

    @Test(arguments: Outlook.allCases)
    func `a body whose leave is asked for arrives`(outlook: Outlook) throws {
        let server = try MockServer { .text("\($0.body.count)") }
        let draft = MutableRequest.post(server.url("/")) |> .text("words") |> .expectContinue(wait: .milliseconds(50))
        let results = try results(outlook, [draft, draft])
        #expect(try results.map { try $0?.get().text() } == ["5", "5"])
    }
}
#endif
