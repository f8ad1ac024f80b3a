import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Files that are fetched only if the server's version differs.
@Suite struct DownloadIfNewerTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let later = "Mon, 07 Nov 1994 08:49:37 GMT"

    private let client = CurlTransport()
    private let directory: ScratchDirectory
    private let server: MockServer
    private let path: String

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("a.txt")
        server = try MockServer()
    }

    private func serve(_ text: String, tag: String? = nil, date: String? = nil) {
        server.handler = { request in
            let isKnown =
                request.headers["If-None-Match"].map { $0 == tag }
                ?? request.headers["If-Modified-Since"].map { $0 == date } ?? false
            var answer = isKnown ? MockResponse.status(.notModified) : .text(text)
            if let tag { answer = answer.header("ETag", tag) }
            if let date { answer = answer.header("Last-Modified", date) }
            return answer
        }
    }

    private func fetch(_ target: String = "/a") throws -> String {
        switch try client.downloadIfNewer(.get(server.url(target)), to: path) {
        case .notModified(let response): "kept after \(response.status)"
        case .downloaded(let download): "fetched \(download.byteCount)"
        }
    }

    private var text: String { (try? String(decoding: directory.read("a.txt"), as: UTF8.self)) ?? "none" }
    private var modified: Int64? { try? SystemCall.status(at: path).get().modified }

    @Test func `a date with two digits of the year is one of this century`() throws {
        serve("one", date: "Sunday, 09-Nov-25 08:49:37 GMT")
        #expect(try fetch() == "fetched 3")
        #expect(modified == 1_762_678_177)
    }

    @Test func `an unchanged file is kept by a client that validates, too`() throws {
        serve("one", tag: "\"1\"")
        #expect(try fetch() == "fetched 3")
        let validating = client.intercepted(by: .validate())
        guard case .notModified = try validating.downloadIfNewer(.get(server.url("/a")), to: path) else {
            Issue.record("it was fetched again")
            return
        }
        #expect(text == "one" && server.requests.last?.headers["If-None-Match"] == "\"1\"")
    }

    @Test func `an unchanged file behind a redirect to another origin is not fetched again`() throws {
        serve("one", tag: "\"1\"", date: Self.date)
        let entry = try MockServer()
        entry.handler = { [server] _ in .redirect(to: server.url("/a")) }
        let request = MutableRequest.get(entry.url("/latest")) |> .bearer("t")
        _ = try client.downloadIfNewer(request, to: path)
        guard case .notModified = try client.downloadIfNewer(request, to: path) else {
            Issue.record("it was fetched again")
            return
        }
        #expect(server.requests.allSatisfy { !$0.headers.contains("Authorization") })
    }

    @Test func `an unchanged file is not fetched again`() throws {
        serve("one", tag: "W/\"1\"", date: Self.date)
        #expect(try fetch() == "fetched 3")
        #expect(try fetch() == "kept after 304")
        #expect(text == "one")
        let asked = try #require(server.requests.last).headers
        #expect(asked["If-None-Match"] == "W/\"1\"" && asked["If-Modified-Since"] == Self.date)
        #expect(server.requests.first?.headers.contains("If-None-Match") == false)
        #expect(directory.names == ["a.txt", "a.txt.validators.json"])
    }

    @Test func `another version replaces the file and sets its time`() throws {
        serve("one", tag: "\"1\"", date: Self.date)
        #expect(try fetch() == "fetched 3")
        #expect(modified == 784_111_777)
        serve("twice", tag: "\"2\"", date: Self.later)
        #expect(try fetch() == "fetched 5")
        #expect(text == "twice" && modified == 784_198_177)
        #expect(try fetch() == "kept after 304")
    }

    @Test func `a date or a tag alone is enough`() throws {
        serve("one", date: Self.date)
        #expect(try fetch() == "fetched 3")
        #expect(try fetch() == "kept after 304")
        serve("one", tag: "\"1\"")
        #expect(try fetch() == "fetched 3")
        #expect(try fetch() == "kept after 304")
    }

    @Test func `without validators it is fetched each time`() throws {
        serve("one")
        #expect(try fetch() == "fetched 3")
        #expect(try fetch() == "fetched 3")
        #expect(server.requests.allSatisfy { !$0.headers.contains("If-Modified-Since") })
    }

    @Test func `a file without a record is checked by its time`() throws {
        _ = try directory.write("one".utf8, to: "a.txt")
        #expect(throws: Never.self) { try SystemCall.setModified(784_111_777, at: path).get() }
        serve("two", date: Self.date)
        #expect(try fetch() == "kept after 304")
        #expect(text == "one")
    }

    @Test func `a file that was changed locally, or is of another URL, is fetched again`() throws {
        serve("one", tag: "\"1\"", date: Self.date)
        #expect(try fetch() == "fetched 3")
        _ = try directory.write("mine".utf8, to: "a.txt")
        #expect(try fetch() == "fetched 3")
        #expect(text == "one")
        _ = try directory.write("mine, of the same time".utf8, to: "a.txt")
        #expect(throws: Never.self) { try SystemCall.setModified(784_111_777, at: path).get() }
        #expect(try fetch() == "fetched 3")
        #expect(try fetch("/b") == "fetched 3")
        #expect(server.requests.allSatisfy { !$0.headers.contains("If-None-Match") })
        try FileManager.default.removeItem(atPath: path)
        #expect(try fetch("/b") == "fetched 3")
    }

    @Test func `a truncated body, or a response without a file, leaves the old one`() throws {
        serve("one", tag: "\"1\"")
        #expect(try fetch() == "fetched 3")
        for answer in [
            MockResponse.text("twice").failing(.close(.midBody(after: 2))), .text("gone", status: .notFound),
            .text("part", status: .partialContent), .status(.noContent),
        ] {
            server.handler = { _ in answer }
            #expect(throws: HTTPError.self) { try fetch() }
        }
        #expect(text == "one")
        serve("one", tag: "\"1\"")
        #expect(try fetch() == "kept after 304")
    }

    @Test func `an unexpected 304 is refused`() throws {
        server.handler = { _ in .status(.notModified) }
        #expect(throws: HTTPError.self) { try fetch() }
        #expect(directory.names.isEmpty)
    }

    @Test func `a broken or overlong record, or a link, is ignored`() throws {
        serve("one", tag: "\"1\"")
        #expect(try fetch() == "fetched 3")
        let record = try directory.read("a.txt.validators.json")
        for broken in [Array("{".utf8), record + Array(repeating: 0x20, count: 70_000)] {
            _ = try directory.write(broken, to: "a.txt.validators.json")
            #expect(try fetch() == "fetched 3")
            #expect(server.requests.last?.headers.contains("If-None-Match") == false)
        }
    }

    @Test func `calls for one file at the same time all succeed`() throws {
        serve("one", tag: "\"1\"")
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10 {
                // Changed, so that each call writes the file and its record.
                _ = try? directory.write(Array("changed".utf8), to: "a.txt")
                do { _ = try fetch() } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(Set(directory.names).isSubset(of: ["a.txt", "a.txt.validators.json"]))
    }

    @Test func `the validators of a response do not count for a file that has replaced its own`() throws {
        serve("one", tag: "\"1\"")
        let other = directory.file("other")
        let client = client.intercepted(
            by: Interceptor { [path] request, next in
                let result = next.executeRequest(request)
                _ = FileManager.default.createFile(atPath: other, contents: Data("old".utf8))
                _ = rename(other, path)
                return result
            })
        _ = try client.downloadIfNewer(.get(server.url("/a")), to: path)
        #expect(text == "old" && directory.names == ["a.txt"])
    }

    @Test func `own conditions and other methods are refused before anything is sent`() throws {
        for draft in [
            MutableRequest.get(server.url) |> .ifNoneMatch("\"x\""), .get(server.url) |> .range(bytes: 0...1),
            .post(server.url),
        ] {
            guard case .failure(.invalidRequest) = Result(try client.downloadIfNewer(draft, to: path)) else {
                throw Refusal("taken")
            }
        }
        #expect(server.requestCount == 0)
    }
}
