import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPFutures

/// Every blocking verb, in a function that an async one calls.
enum Verbs {
    private static let client = MisuseProgram.client
    private static let url = MisuseProgram.url

    static let planted: [Way] = [
        ("executesRequest", { executesRequest() }), ("executesDraft", { executesDraft() }),
        ("sendsRequest", { sendsRequest() }), ("sendsDraft", { sendsDraft() }), ("gets", { gets() }),
        ("heads", { heads() }), ("posts", { posts() }), ("puts", { puts() }), ("patches", { patches() }),
        ("deletes", { deletes() }), ("decodes", { decodes() }), ("batches", { batches() }),
        ("batchesBehindPolicies", { batchesBehindPolicies() }), ("batchesToClosure", { batchesToClosure() }),
        ("downloadsFile", { downloadsFile() }), ("downloadsIntoDirectory", { downloadsIntoDirectory() }),
        ("downloadsSeveral", { downloadsSeveral() }), ("downloadsIfNewer", { downloadsIfNewer() }),
        ("uploads", { uploads() }), ("readsEvents", { readsEvents() }), ("readsPages", { readsPages() }),
        ("readsLines", { readsLines() }), ("callsService", { callsService() }),
        ("waitsForFuture", { waitsForFuture() }),
        ("sendsBehindPolicies", { sendsBehindPolicies() }), ("sendsBehindClosure", { sendsBehindClosure() }),
    ]

    private struct Notes: RequestGenerator { let baseURL = MisuseProgram.url }

    static func executesRequest() { _ = (try? Request(request)).map { client.executeRequest($0) } }
    static func executesDraft() { _ = client.executeRequest(request) }
    static func sendsRequest() { _ = try? client.send(Request(request)) }
    static func sendsDraft() { _ = try? client.send(request) }
    static func gets() { _ = try? client.get(url) }
    static func heads() { _ = try? client.send(.head(url)) }
    static func posts() { _ = try? client.post(url) }
    static func puts() { _ = try? client.put(url) }
    static func patches() { _ = try? client.patch(url) }
    static func deletes() { _ = try? client.delete(url) }
    static func decodes() { _ = try? client.execute(request, as: [Int].self) }
    static func batches() { _ = client.executeRequests([request, request]) }
    static func batchesBehindPolicies() {
        _ = client.intercepted(by: .retry(limit: 1)).executeRequests([request, request])
    }
    static func batchesToClosure() { client.executeRequests([request]) { _, _ in } }
    static func downloadsFile() {
        _ = try? client.download(request, to: MisuseProgram.directory + "/a", replacing: true)
    }
    static func downloadsIntoDirectory() { _ = try? client.download(request, to: .directory(MisuseProgram.directory)) }
    static func downloadsSeveral() {
        let list = [DownloadRequest(request, to: MisuseProgram.directory + "/b", replacing: true)]
        for _ in client.downloads(of: list).blocking {}
    }
    static func downloadsIfNewer() { _ = try? client.downloadIfNewer(request, to: MisuseProgram.directory + "/c") }
    static func uploads() { _ = try? client.upload(.put(url), from: MisuseProgram.directory + "/a") }
    static func readsEvents() { _ = try? client.stream(request, as: .serverSentEvents) { _ in throw StopReading() } }
    static func readsPages() { for _ in client.pages(of: request, as: [Int].self).blocking {} }
    static func readsLines() { for _ in client.stream(request, as: .lines).blocking {} }
    static func callsService() { try? client.service(Notes()).call(.delete("1") as Endpoint<Notes, Void>) }
    static func waitsForFuture() {
        // Of a call it might be there before the wait, which then blocks nothing.
        let promise = Promise<Int, HTTPError>()
        _ = try? promise.future.wait(for: .milliseconds(1))
        promise.succeed(1)
    }
    static func sendsBehindPolicies() { _ = try? client.intercepted(by: .retry(limit: 1)).send(request) }
    static func sendsBehindClosure() {
        _ = try? client.intercepted(by: Interceptor { request, next in next.executeRequest(request) }).send(request)
    }
}
