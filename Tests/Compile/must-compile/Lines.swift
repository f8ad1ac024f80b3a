import Foundation
import HTTPArchiving
import HTTPTesting
import Straightline

// Lines that a new user would write.

final class Form: Encodable {
    var title = "Sea"
}

struct Prompt: Codable, Sendable { let text: String }

struct Page: Codable, Sendable {
    let issues: [Prompt]
    let next: String?
}

func responses(_ client: CurlTransport, _ r: Request) async throws {
    let value = try await client.send(r).validated().decoded(as: Prompt.self)
    let same: Prompt = try await client.get("https://h.example").validated().decoded()
    let text = try await client.send(r).validated().text()
    let name = try await client.get("https://h.example").json()["user"]["name"].string
    print(value, same, text, name as Any)
}

func results(_ client: CurlTransport, _ r: Request) -> Result<Prompt, HTTPError> {
    print(client.executeRequest(r).validated().text(), client.executeRequest(r).json())
    return client.executeRequest(r).validated().decoded(as: Prompt.self)
}

func problems(_ client: CurlTransport) async {
    do { _ = try await client.execute(.get("https://h.example"), as: Prompt.self) } catch {
        print(error.problem?.title ?? "", error.problem?.extensions["balance"]?.int ?? 0)
    }
}

func bodies(_ url: URL, missing: String?) -> [MutableRequest] {
    [
        .post(url) |> .json(Form()), .post(url) |> .form(Form()), .get(url) |> .query(Form()),
        .post(url) |> .form(["a": "1", "b": missing]), .post(url) |> .multipart(["a": "1", "b": missing]),
        .get(url) |> .query(["a": "1", "b": missing]), .request(.query, url) |> .json(["a": 1]),
    ]
}

func questions(_ client: CurlTransport, _ url: URL) async throws {
    _ = try await client.send(.request(.query, url) |> .json(["text": "sea"]) |> .accept("application/json"))
    _ = try await client.get(url, .range(bytes: 0...99) |> .ifNoneMatch("\"v1\""))
    _ = try await client.downloadIfNewer(.get(url), to: URL(filePath: "feed.xml"))
}

func batches(_ client: CurlTransport, _ requests: [Request], _ drafts: [MutableRequest]) async throws {
    let all = try await Dispatcher.shared.run { client.executeRequests(requests) }
    _ = try await Dispatcher.shared.run { client.executeRequests(drafts) }
    let text = try await Dispatcher.shared.run { () throws(HTTPError) in
        let first = try client.send(requests[0])
        return try client.send(drafts[0] |> .query("after", first.headers["ETag"])).text()
    }
    let value = try await Dispatcher.shared.run { () throws(HTTPError) in
        try client.execute(.get("https://h.example"), as: Prompt.self)
    }
    print(all.count, text.count, value.text)
}

func batches(_ client: CurlTransport, _ requests: [Request], _ drafts: [MutableRequest]) {
    _ = client.executeRequests(requests)
    _ = client.executeRequests(drafts)
    client.executeRequests(requests) { index, result in print(index, result) }
    client.executeRequests(drafts) { index, result in print(index, result) }
}

struct Shop: RequestGenerator { let baseURL: URL }

func urls(_ client: CurlTransport, _ url: URL, file: URL) throws {
    _ = client.service(Shop(baseURL: url))
    _ = Shop(baseURL: url).get("users/\(7)")
    _ = StubClient(strict: true, base: url)
    _ = try RecordingClient(client, file: file)
    _ = try ReplayClient(contentsOf: file)
    _ = try client.get(url, .netrc(try Netrc(contentsOf: file)))
    try client.download(.get(url), to: file)
    _ = client.executeRequest(.put(url) |> .file(file))
    _ = MultipartBody.Part.file("video", file)
}

func files(_ client: CurlTransport, _ url: URL, folder: URL) async throws {
    try await client.download(.get(url), to: "image.iso")
    try await client.download(.get(url), to: folder.appending(path: "image.iso"), replacing: true)
    let report = try await client.download(.get(url), to: .directory("Downloads"))
    try await client.download(.get(url), to: .directory(folder)) { progress in print(progress.bytes) }
    let files = [
        DownloadRequest(.get(url), to: "1.iso", sha256: "00"), DownloadRequest(.get(url), to: .directory(folder)),
    ]
    for await file in client.downloads(of: files) { print(file.index, try file.result.get().path, report.path) }
    let downloads = client.downloads(of: files, maxConcurrent: 2) { index, progress in print(index, progress.bytes) }
    for result in await downloads.all() { print(try result.get().byteCount) }
}

func files(_ client: CurlTransport, _ url: URL, folder: URL) throws {
    try client.download(.get(url), to: .directory("Downloads"))
    try client.download(.get(url), to: .directory(folder))
    let files = ["1.iso", "2.iso"].map { DownloadRequest(.get(url), to: $0) }
    for file in client.downloads(of: files, maxConcurrent: 2).blocking { print(try file.result.get().path) }
    print(client.downloads(of: files).blocking.all().count)
}

func patient(_ client: CurlTransport, _ url: URL) throws(HTTPError) -> Download {
    try client.intercepted(by: .retry(limit: 6)).download(.get(url), to: "image.iso")
}

func events(_ client: CurlTransport, _ url: URL) throws(HTTPError) {
    try client.stream(
        .post(url) |> .json(Prompt(text: "hi")), as: .serverSentEvents(EventStreamOptions(connectionLimit: 1))
    ) { event in
        if event.data == "[DONE]" { throw StopReading() }
        print(event.data)
    }
}

func pages(_ client: CurlTransport, _ url: URL) async throws(HTTPError) {
    for try await page in client.pages(of: .get(url), as: [Prompt].self) { print(page) }
    for try await issue in client.pages(of: .get(url), as: [Prompt].self).elements(\.self) { print(issue) }
    for try await issue in client.pages(of: .get(url), as: Page.self, next: .cursor("c", \.next)).elements(\.issues) {
        print(issue)
    }
    for try await page in client.pages(of: .get(url), as: [Prompt].self, next: .number("page", until: \.isEmpty)) {
        print(page)
    }
}

func blockingPages(_ client: CurlTransport, _ url: URL) throws(HTTPError) {
    for page in client.pages(of: .get(url), as: [Prompt].self).blocking { print(try page.get()) }
    for issue in client.pages(of: .get(url), as: Page.self, next: .cursor("c", \.next)).elements(\.issues).blocking {
        print(try issue.get())
    }
}

func progress(_ client: CurlTransport, _ url: URL) async throws {
    _ = try await client.download(.get(url), to: "image.iso", progress: { progress in print(progress.fraction ?? 0) })
}

func trailers(_ client: CurlTransport, _ url: URL, digest: @escaping @Sendable () -> String) async throws {
    try await client.post(url, .file("video.mp4") |> .trailers("Repr-Digest") { ["Repr-Digest": digest()] })
}

func choices(_ client: CurlTransport, _ url: URL) async throws {
    _ = try await client.get(url, .contentDecoding(false) |> .redirects(.refused))
    let printer = Origin(scheme: .https, host: "printer")
    _ = client.intercepted(
        by: .log(showing: ["X-Shard"]) { print($0) }, .digest(user: "me", password: "x", for: printer))
    let stream = BodyDestination.stream { _ in BodySink { _ in throw StopReading() } }.includingRefusals()
    _ = try await client.send(.get(url) |> .destination(stream))
    var tls = TLSConfiguration()
    tls.clientCertificates = [
        try .pem(certificate: "a.pem", key: "a.key", hosts: ["a.example"]), try .pkcs12(file: URL(filePath: "b.p12")),
    ]
}
