import HTTPArchiving
import Foundation
import HTTPCore
import HTTPTesting
import Testing

/// Archives that other programs write: bodies as fields only, entries that cannot be read, and stored content behind a 304.
@Suite struct ForeignArchiveTests {
    private static let url = "https://a.example/x"

    private static func archive(_ entries: [String]) -> Data {
        Data(#"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
    }

    private static func entry(_ path: String, text: String, body: String? = nil) -> String {
        let method = body == nil ? "GET" : "POST"
        let data = body.map { #","bodySize":-1,"postData":\#($0)"# } ?? ""
        return #"""
            {"request":{"method":"\#(method)","url":"https://a.example\#(path)","headers":[]\#(data)},
            "response":{"status":200,"headers":[],"content":{"size":\#(text.utf8.count),"mimeType":"text/plain","text":"\#(text)"}}}
            """#
    }

    // MARK: Bodies as fields

    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [
        #"{"mimeType":"\#(form)","text":"","params":[{"name":"user","value":"ann"},{"name":"note","value":"a b&c"}]}"#,
        #"{"mimeType":"\#(form)","params":[{"name":"user","value":"ann"},{"name":"note","value":"a b&c"}]}"#,
        #"{"mimeType":"\#(form); charset=UTF-8","text":"","params":[{"name":"user","value":"ann"},{"name":"note","value":"a b&c"}]}"#,
        #"{"mimeType":"","text":"","params":[{"name":"user","value":"ann"},{"name":"note","value":"a b&c"}]}"#,
    ])
    func `a form that is recorded as fields answers the same form only`(_ body: String) throws {
        let client = ReplayClient(try HTTPArchive(data: Self.archive([Self.entry("/x", text: "hello", body: body)])))
        let other = client.executeRequest(.post(Self.url) |> .form(["user": "bob", "note": "a b&c"]))
        #expect(other.message.contains("body is"), "\(other.message)")
        #expect(try client.post(Self.url, .form(["user": "ann", "note": "a b&c"])).content == "hello")
    }

    @Test func `a form that is recorded as fields answers the same fields in another encoding`() throws {
        let body = #"{"mimeType":"\#(Self.form)","text":"","params":[{"name":"note","value":"a b&c"}]}"#
        let client = ReplayClient(try HTTPArchive(data: Self.archive([Self.entry("/x", text: "hello", body: body)])))
        let form = RequestBody.data(Data("note=a%20b%26%63".utf8), contentType: Self.form)
        #expect(try client.post(Self.url, .body(form)).content == "hello")
    }

    @Test func `forms with files that are recorded as fields are told apart by these`() throws {
        func body(_ user: String) -> String {
            #"""
            {"mimeType":"multipart/form-data; boundary=x","text":"","params":[{"name":"user","value":"\#(user)"},
            {"name":"file","fileName":"a.bin","contentType":"application/octet-stream","value":"(binary)"}]}
            """#
        }
        let client = ReplayClient(
            try HTTPArchive(
                data: Self.archive([
                    Self.entry("/x", text: "of ann", body: body("ann")),
                    Self.entry("/x", text: "of bob", body: body("bob")),
                ])))
        func form(_ user: String) -> RequestStep {
            .multipart(.text("user", user), .data("file", Data([0, 1, 2]), filename: "a.bin"))
        }
        #expect(client.executeRequest(.post(Self.url) |> form("eve")).message.contains("body is"))
        #expect(try client.post(Self.url, form("bob")).content == "of bob")
        #expect(try client.post(Self.url, form("ann")).content == "of ann")
    }

    @Test func `secrets among fields do not tell forms apart`() throws {
        let body = #"{"mimeType":"\#(Self.form)","text":"","params":[{"name":"password","value":"one"}]}"#
        let client = ReplayClient(try HTTPArchive(data: Self.archive([Self.entry("/x", text: "in", body: body)])))
        #expect(try client.post(Self.url, .form(["password": "another"])).content == "in")
    }

    @Test func `a body that was not kept equals any`() throws {
        let body = #"{"mimeType":"text/plain","text":""}"#
        let client = ReplayClient(try HTTPArchive(data: Self.archive([Self.entry("/x", text: "in", body: body)])))
        #expect(try client.post(Self.url, .text("anything")).content == "in")
    }

    // MARK: Entries that cannot be read

    private static let broken = [
        #"{"request":{"method":"GET","url":"https://a.example/lost?token=t","headers":[]},"response":{"status":"two","headers":[]}}"#,
        #"{"request":{"method":"GET","url":"https://a.example/lost","headers":[]},"response":null}"#,
        #"{"request":{"url":"https://a.example/lost"},"response":{"status":200,"headers":[]}}"#,
        #"{"request":{"method":"GET","url":"https://a.example/lost","headers":{}},"response":{"status":200,"headers":[]}}"#,
        #"{"request":{"method":"GET","url":"https://a.example/lost","headers":[]},"response":{"status":200,"content":{"text":"%","encoding":"base64"}}}"#,
        "null", "5", "{}", "[]", halfPair,
    ]

    /// Half of a surrogate pair, of which the decoder does not say where it is.
    private static let halfPair =
        #"{"request":{"method":"GET","url":"https://a.example/lost"},"response":{"status":200,"content":{"text":"a\ud83dz"}}}"#

    @Test(arguments: broken) func `an entry that cannot be read is skipped and listed`(_ broken: String) throws {
        let data = Self.archive([Self.entry("/a", text: "one"), broken, Self.entry("/b", text: "two"), broken])
        let archive = try HTTPArchive(data: data)
        #expect(archive.entries.map(\.request.url) == ["https://a.example/a", "https://a.example/b"])
        #expect(archive.skipped.map(\.entry) == [1, 3])
        #expect(archive.skipped.allSatisfy { !"\($0)".contains("token=t") })
        let client = ReplayClient(archive)
        #expect(try client.get("https://a.example/b").content == "two")
        let lost = client.executeRequest(.get("https://a.example/lost")).message
        #expect(lost.contains("2 entries cannot be read and were skipped, first: "), "\(lost)")
        #expect(throws: archive.skipped[0]) { try HTTPArchive(data: data, strict: true) }
    }

    @Test func `several kinds of unreadable entries keep their places`() throws {
        let data = Self.archive([
            Self.broken[4], Self.entry("/a", text: "a"), Self.broken[0], Self.broken[4], Self.entry("/b", text: "b"),
        ])
        let archive = try HTTPArchive(data: data)
        #expect(archive.skipped.map(\.entry) == [0, 2, 3])
        #expect(archive.skipped[1].field == "log.entries[2].response.status")
        #expect(archive.skipped[1].request == "GET https://a.example/lost")
        #expect(archive.entries.map(\.request.url) == ["https://a.example/a", "https://a.example/b"])
    }

    @Test func `an entry with an invalid text does not shift the places of others`() throws {
        let data = Self.archive([
            Self.halfPair, Self.entry("/a", text: "a"), Self.broken[4], Self.entry("/b", text: "b"),
        ])
        let archive = try HTTPArchive(data: data)
        #expect(archive.skipped.map(\.entry) == [0, 2])
        #expect(archive.skipped[0].request == "GET https://a.example/lost")
        #expect(archive.entries.map(\.request.url) == ["https://a.example/a", "https://a.example/b"])
    }

    @Test func `a client of a file lists what it skipped, and refuses it if strict`() throws {
        let scratch = try ScratchDirectory()
        let path = try scratch.write(Self.archive([Self.entry("/a", text: "one"), Self.broken[1]]), to: "a.har")
        let client = try ReplayClient(contentsOf: path)
        #expect(client.skipped.map(\.path) == [path])
        #expect(try client.get("https://a.example/a").content == "one")
        #expect(throws: ArchiveProblem.self) { try ReplayClient(contentsOf: path, strict: true) }
    }

    // MARK: Stored content behind a 304

    private static func unmodified(_ headers: [HTTPArchive.Parameter] = []) -> HTTPArchive.Entry {
        .of(url: url, 304, "stored", headers: headers)
    }

    @Test func `a browser's 304 with kept content replays the content`() throws {
        let headers = [
            [], [HTTPArchive.Parameter("Content-Type", "text/html")], [HTTPArchive.Parameter("ETag", "\"1\"")],
        ]
        for headers in headers {
            let client = ReplayClient(HTTPArchive(entries: [Self.unmodified(headers)]))
            let response = try client.get(Self.url)
            #expect(response.status == .ok && response.content == "stored")
            #expect(
                response.headers["Content-Type"] == headers.first { $0.name == "Content-Type" }?.value ?? "text/plain")
        }
    }

    @Test(arguments: ["If-None-Match", "If-Modified-Since"])
    func `a caller who asks with a condition gets the 304`(_ name: String) throws {
        let client = ReplayClient(HTTPArchive(entries: [Self.unmodified()]))
        let response = try client.get(Self.url, .header(name, "\"1\""))
        #expect(response.status == .notModified && response.body.isEmpty)
    }

    @Test func `a 304 without content stays one`() throws {
        let client = ReplayClient(HTTPArchive(entries: [.of(url: Self.url, 304)]))
        #expect(try client.get(Self.url).status == .notModified)
    }
}
