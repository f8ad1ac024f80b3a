import HTTPArchiving
import Foundation
import HTTPCore
import HTTPSupport
import HTTPTesting
import Testing

@Suite struct ArchiveReadingTests {
    private static let request = #"{"method":"GET","url":"https://a.example/x?token=t0p","headers":[]}"#
    private static let response = #"{"status":200,"headers":[],"content":{"size":0,"mimeType":""}}"#

    private static func archive(_ entries: String...) -> String {
        #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":["# + entries.joined(separator: ",")
            + "]}}"
    }

    private static func entry(request: String = request, response: String = response) -> String {
        #"{"startedDateTime":"2026-03-01T09:30:00Z","time":1,"request":\#(request),"response":\#(response),"cache":{}}"#
    }

    private func problem(_ text: String) -> ArchiveProblem? {
        do { _ = try HTTPArchive(data: Data(text.utf8), strict: true) } catch { return error }
        Issue.record("it was read")
        return nil
    }

    @Test func `a new archive is its owner's alone, and another keeps its permissions`() throws {
        let directory = try ScratchDirectory()
        let archive = try HTTPArchive(data: Data(Self.archive(Self.entry()).utf8))
        func permissions(_ name: String) throws -> mode_t {
            try SystemCall.status(at: directory.file(name)).get().permissions
        }
        try archive.write(to: directory.file("new.har"))
        #expect(try permissions("new.har") & 0o077 == 0)
        let path = try directory.write("old".utf8, to: "old.har")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try archive.write(to: path)
        #expect(try permissions("old.har") == 0o644)
        #expect(try HTTPArchive(contentsOf: path).entries.count == 1)
    }

    @Test func `the minimum of fields is enough`() throws {
        let archive = try HTTPArchive(data: Data(("\u{FEFF}" + Self.archive(Self.entry())).utf8))
        let entry = try #require(archive.entries.first)
        #expect(entry.response.bodySize == -1)
        #expect(entry.timings == HTTPArchive.Timings())
    }

    @Test func `informative fields may have any value`() throws {
        let odd = #"""
            {"startedDateTime":null,"time":"12.5","connection":443,"serverIPAddress":null,"cache":null,"timings":"none",
            "request":{"method":"GET","url":"https://a.example/","headers":[{"name":"A","value":null}],"cookies":7,
            "queryString":null,"headersSize":"x","bodySize":1e400,"httpVersion":2},
            "response":{"status":200,"statusText":null,"content":{"size":-5,"mimeType":null,"text":"ok"}}}
            """#.replacing("1e400", with: "1e300")
        let entry = try #require(try HTTPArchive(data: Data(Self.archive(odd).utf8)).entries.first)
        #expect(entry.time == 12.5)
        #expect(entry.connection == "443")
        #expect(entry.request.headers == [HTTPArchive.Parameter("A", "")])
        #expect(entry.request.bodySize == 9_000_000_000_000_000)
        #expect(entry.response.content.size == -1)
        #expect(entry.started == nil)
    }

    @Test(arguments: [
        ("", "it is not JSON, or breaks off"), ("[]", "it is not an object"), ("{}", "log: it is missing"),
        (#"{"log":[]}"#, "log: it is not an object"), (#"{"log":{"version":"1.2"}}"#, "log.entries: it is missing"),
        (#"{"log":{"version":"2.0","entries":[]}}"#, "log.version: it is HAR 2.0"),
        (#"{"log":{"version":"0.9","entries":[]}}"#, "log.version: it is HAR 0.9"),
        (#"{"log":{"version":"1.2","entries":{}}}"#, "log.entries: it is not a list"),
    ])
    func `an invalid archive is refused with the place`(_ text: String, _ words: String) {
        let message = problem(text).map { "\($0)" } ?? ""
        #expect(message.contains(words), "\(message)")
    }

    @Test func `an invalid field is named with its entry and request, but not with the query`() throws {
        let broken = Self.entry(response: #"{"status":"two hundred","headers":[]}"#)
        let found = try #require(problem(Self.archive(Self.entry(), broken)))
        #expect(found.entry == 1)
        #expect(found.field == "log.entries[1].response.status")
        #expect(
            found.description == "the archive cannot be used, entry 1 (GET https://a.example/x),"
                + " log.entries[1].response.status: it is not a number")
        let named = #"{"method":"GET","url":"https://ann:abc@a.example/x","headers":[]}"#
        let other = try #require(problem(Self.archive(Self.entry(request: named, response: #"{"status":99}"#))))
        #expect(other.request == "GET https://<redacted>@a.example/x")
    }

    @Test func `a compression that made a body longer is the same when read again`() throws {
        var content = HTTPArchive.Content(size: 2, mimeType: "text/plain", text: "ab")
        content.compression = -18
        #expect(try JSONDecoder().decode(HTTPArchive.Content.self, from: JSONEncoder().encode(content)) == content)
    }

    @Test(arguments: [
        (#"{"url":"https://a.example/"}"#, response, "log.entries[0].request.method: it is missing"),
        (#"{"method":"","url":"https://a.example/"}"#, response, "log.entries[0].request.method: it is empty"),
        (#"{"method":"GET","url":7}"#, response, "log.entries[0].request.url: it is not a text"),
        (request, "null", "log.entries[0].response: it is null"),
        (request, #"{"status":99}"#, "log.entries[0].response.status: 99 is not a status code"),
        (request, #"{"status":200,"headers":{}}"#, "log.entries[0].response.headers: it is not a list"),
        (
            request, #"{"status":200,"headers":[{"value":"v"}]}"#,
            "log.entries[0].response.headers[0].name: it is missing"
        ),
        (request, #"{"status":200,"content":{"text":5}}"#, "log.entries[0].response.content.text: it is not a text"),
        (
            request, #"{"status":200,"content":{"text":"%","encoding":"base64"}}"#,
            "log.entries[0].response.content.text: it is not in base64"
        ),
        (
            request, #"{"status":200,"content":{"text":"x","encoding":"rot13"}}"#,
            #"log.entries[0].response.content.encoding: "rot13" is not known"#
        ),
    ])
    func `fields that a replay needs must be valid`(_ request: String, _ response: String, _ words: String) {
        let message = problem(Self.archive(Self.entry(request: request, response: response))).map { "\($0)" } ?? ""
        #expect(message.contains(words), "\(message)")
    }

    @Test func `of a name that occurs twice one value is read, which is masked like any other`() throws {
        let request = #"""
            {"method":"GET","url":"https://a.example/?token=t0p","\u0075rl":"https://a.example/?token=t1p",
            "headers":[],"headers":[{"name":"Authorization","value":"Bearer t2p"}]}
            """#
        let text = Self.archive(Self.entry(request: request))
        let entry = try #require(try HTTPArchive(data: Data(text.utf8), strict: true).entries.first)
        #expect(["https://a.example/?token=t0p", "https://a.example/?token=t1p"].contains(entry.request.url))
        let masked = HTTPArchive(entries: [ArchiveRedaction.standard.redacted(entry)])
        #expect(!String(decoding: try masked.encoded(), as: UTF8.self).contains(/t[012]p/))
    }

    @Test func `an archive truncated anywhere is refused, and never partly read`() throws {
        let whole = Array(try Data(contentsOf: URL(filePath: Sample.safari.path)).dropLast())
        for length in stride(from: 0, to: whole.count - 1, by: 397) {
            #expect(throws: ArchiveProblem.self) { try HTTPArchive(data: Data(whole[..<length])) }
        }
    }

    @Test func `an oversized or missing file is refused by name`() throws {
        let path = Sample.chrome.path
        #expect { try HTTPArchive(contentsOf: path, sizeLimit: 100) } throws: { error in
            "\(error)".contains("chrome.har cannot be used: it has ") && "\(error)".contains("100 is the limit")
        }
        #expect { try HTTPArchive(contentsOf: "/nowhere/a.har") } throws: { error in
            "\(error)".hasPrefix("the archive /nowhere/a.har cannot be used: it cannot be read")
        }
        #expect { try ReplayClient(contentsOf: path + "x") } throws: { ($0 as? ArchiveProblem)?.path == path + "x" }
    }

    @Test func `the pages of a browser are kept as they are`() throws {
        let archive = try HTTPArchive(contentsOf: Sample.chrome.path)
        let page = archive.pages?[0]
        #expect(page?["title"].string == "https://shop.example/")
        #expect(page?["pageTimings"]["onContentLoad"].double == 310.2)
        #expect(try HTTPArchive(data: archive.encoded()).pages == archive.pages)
    }

    @Test func `deep nesting and many entries are harmless`() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: ArchiveProblem.self) { try HTTPArchive(data: Data(deep.utf8)) }
        let many = HTTPArchive(entries: (0..<400).map { .of(url: "https://a.example/\($0)", 200, "\($0)") })
        let client = ReplayClient(try HTTPArchive(data: try many.encoded()))
        #expect(try client.get("https://a.example/399").content == "399")
    }

    @Test func `a query item may have no name, and its archive is the same when read again`() throws {
        let request = HTTPArchive.Request(method: "GET", url: "https://host.example/?=value&a=b")
        #expect(request.queryString.map(\.name) == ["", "a"])
        let again = try JSONDecoder().decode(HTTPArchive.Request.self, from: JSONEncoder().encode(request))
        #expect(again == request)
    }
}
