import Foundation
import HTTPCore
import HTTPTesting
import Testing

@Suite struct MultipartTests {
    private func encoded(_ form: MultipartBody) throws -> String {
        var stream = try RequestBody.multipart(form).open()
        var all: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 7)
        while true {
            let count = try room.withUnsafeMutableBytes { try stream.give(into: $0) }
            guard count > 0 else { break }
            all += room[..<count]
        }
        if let length = stream.length { #expect(length == Int64(all.count)) }
        return String(decoding: all, as: UTF8.self)
    }

    @Test func `a step takes a list of parts, such as one for each file of a directory`() throws {
        let parts = ["a", "b"].map { MultipartBody.Part.text($0, "1") }
        let stub = StubClient().on("**", answer: .status(.created))
        _ = try stub.send(.post("http://a.example/") |> .multipart(parts))
        let sent = String(decoding: try #require(stub.requests.first).body, as: UTF8.self)
        #expect(sent.contains("name=\"a\"\r\n\r\n1\r\n--") && sent.contains("name=\"b\"\r\n\r\n1\r\n--"))
    }

    @Test func `a form of each kind of part is encoded as browsers do`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write("from disk".utf8, to: "a.txt")
        let form = MultipartBody(
            [
                .text("title", "Grüße"), .data("blob", Data("bytes".utf8), filename: "b.bin"),
                .file("file", path, contentType: "text/plain"), .stream("live") { .data(Data("streamed".utf8)) },
            ], boundary: "XyZ")
        let expected = [
            "--XyZ", "Content-Disposition: form-data; name=\"title\"", "", "Grüße",
            "--XyZ", "Content-Disposition: form-data; name=\"blob\"; filename=\"b.bin\"",
            "Content-Type: application/octet-stream", "", "bytes",
            "--XyZ", "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"", "Content-Type: text/plain",
            "",
            "from disk",
            "--XyZ", "Content-Disposition: form-data; name=\"live\"", "Content-Type: application/octet-stream", "",
            "streamed",
            "--XyZ--", "",
        ]
        #expect(try encoded(form) == expected.joined(separator: "\r\n"))
        #expect(form.contentType == "multipart/form-data; boundary=XyZ")
    }

    @Test func `names and file names are escaped, and only names are normalized`() throws {
        let part = MultipartBody.Part("a\"b\nc\rd\r\ne%22", .data(Data("v\n".utf8)), filename: "f\"\n\r\\é.txt")
        #expect(
            try encoded(MultipartBody([part], boundary: "B"))
                == "--B\r\nContent-Disposition: form-data; name=\"a%22b%0D%0Ac%0D%0Ad%0D%0Ae%22\";"
                + " filename=\"f%22%0A%0D\\é.txt\"\r\n\r\nv\n\r\n--B--\r\n")
    }

    @Test(arguments: [
        ("a\nb", "a\r\nb"), ("a\rb", "a\r\nb"), ("a\r\nb", "a\r\nb"), ("\n\r", "\r\n\r\n"),
        ("\r\r\n\n", "\r\n\r\n\r\n"),
        ("plain", "plain"), ("", ""),
    ])
    func `line breaks of text become CR LF`(text: String, normalized: String) throws {
        let form = MultipartBody([.text("n", text)], boundary: "B")
        #expect(try encoded(form).contains("\r\n\r\n\(normalized)\r\n--B--"))
    }

    @Test(arguments: [
        ("/home/me/a.txt", "a.txt"), ("a.txt", "a.txt"), ("/home/me/\u{301}a.txt", "\u{301}a.txt"), ("/", "/"),
    ])
    func `the name of a file has nothing of its directory`(path: String, name: String) {
        #expect(MultipartBody.Part.file("f", path).filename?.utf8.elementsEqual(name.utf8) == true)
    }

    @Test func `a form without fields is its last delimiter`() throws {
        #expect(try encoded(MultipartBody([], boundary: "B")) == "--B--\r\n")
    }

    @Test func `the length is known if that of each part is`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write([1, 2, 3], to: "f")
        let known = RequestBody.multipart(MultipartBody([.text("a", "b")], boundary: "B"))
        #expect(known.length == Int64(try encoded(MultipartBody([.text("a", "b")], boundary: "B")).utf8.count))
        let withFile = RequestBody.multipart(MultipartBody([.file("f", path)]))
        #expect(withFile.length == nil)
        #expect(try withFile.open().length != nil)
        let live = RequestBody.multipart(MultipartBody([.file("f", path), .stream("s") { .data(Data()) }]))
        #expect(try live.open().length == nil)
    }

    @Test func `an error names the part that is too long or too short`() throws {
        for (length, reason) in [
            (2, BodyFailure.Reason.sourceTooLong(expected: 2, atLeast: 3)),
            (4, .sourceTooShort(expected: 4, actual: 3)),
        ] {
            let form = MultipartBody([.stream("s", length: Int64(length)) { .data(Data([1, 2, 3])) }])
            let error = #expect(throws: BodyProblem.self) { try encoded(form) }
            #expect(error?.reason == reason)
        }
    }

    @Test func `a missing file is detected before anything is sent, and a changed one at its turn`() throws {
        let directory = try ScratchDirectory()
        let missing = MultipartBody([.text("a", "b"), .file("f", directory.file("none"))])
        #expect(throws: BodyProblem.self) { try RequestBody.multipart(missing).open() }
        let path = try directory.write([1], to: "f")
        var stream = try RequestBody.multipart(MultipartBody([.text("a", "b"), .file("f", path)])).open()
        _ = try directory.write([1, 2], to: "f")
        var room = [UInt8](repeating: 0, count: 7)
        let error = #expect(throws: BodyProblem.self) {
            while try room.withUnsafeMutableBytes({ try stream.give(into: $0) }) > 0 {}
        }
        #expect(error?.reason == .changedFile(expected: 1, actual: 2))
    }

    @Test func `boundaries are random, and a given one must be allowed`() throws {
        let boundaries = (0..<100).map { _ in MultipartBody([]).boundary }
        #expect(Set(boundaries).count == 100)
        for boundary in boundaries {
            _ = try Request(.post("http://a/") |> .multipart(MultipartBody([], boundary: boundary)))
        }
        for wrong in ["", "a\r\nb", "ends in a space ", "ä", String(repeating: "x", count: 71)] {
            let draft = MutableRequest.post("http://a/") |> .multipart(MultipartBody([], boundary: wrong))
            let error = #expect(throws: HTTPError.self) { try Request(draft) }
            #expect("\(String(describing: error))".contains("boundary"))
        }
        #expect(MultipartBody([], boundary: "a b").contentType == "multipart/form-data; boundary=\"a b\"")
    }

    @Test(arguments: ["text/plain\r\nX: y", "text/plain ", "\ttext/plain"])
    func `the content type of a part must be a field's value`(type: String) {
        let form = MultipartBody([.data("f", Data(), contentType: type)])
        let error = #expect(throws: HTTPError.self) { try Request(.post("http://a/") |> .multipart(form)) }
        #expect("\(String(describing: error))".contains("in the part \"f\", the value of the header Content-Type"))
    }

    /// No server can read such a form.
    @Test func `a Content-Type of one's own has the boundary of the form`() throws {
        let form = MultipartBody([.text("a", "b")], boundary: "X Z")
        for type in ["multipart/form-data", "Multipart/Mixed; boundary=XZ", "multipart/form-data; boundary=\"x z\""] {
            let error = #expect(throws: HTTPError.self) {
                try Request(.post("http://h/") |> .multipart(form) |> .contentType(type))
            }
            #expect("\(error as Any)".contains("without the boundary of the form: leave it out"), "\(error as Any)")
        }
        for type in [form.contentType, "multipart/x; charset=utf-8; Boundary=\"X Z\"", "application/octet-stream"] {
            let request = try Request(.post("http://h/") |> .contentType(type) |> .multipart(form))
            #expect(request.headers.values(for: "Content-Type") == [type])
        }
    }

    @Test func `a form with a part for a single use has one`() {
        let form = MultipartBody([.text("a", "b"), .stream("s", replayable: false) { .data(Data()) }])
        #expect(!RequestBody.multipart(form).isReplayable)
        #expect(RequestBody.multipart(MultipartBody([.text("a", "b")])).isReplayable)
    }

    @Test func `a part has further header fields, and its own Content-Type wins`() throws {
        let part = MultipartBody.Part(
            "a", .data(Data("x".utf8), contentType: "a/b"), headers: ["Content-ID": "<1>", "content-type": "c/d"])
        let form = MultipartBody([part.addingHeaders(["X-More": "y"])], boundary: "XyZ")
        let expected = [
            "--XyZ", "Content-Disposition: form-data; name=\"a\"", "Content-ID: <1>", "content-type: c/d", "X-More: y",
            "",
            "x", "--XyZ--", "",
        ]
        #expect(try encoded(form) == expected.joined(separator: "\r\n"))
    }

    @Test func `related and mixed bodies have parts without a name`() throws {
        let parts: [MultipartBody.Part] = [
            .part(.data(Data("{}".utf8), contentType: "application/json; charset=utf-8")),
            .part(.data(Data("x".utf8)), headers: ["Content-ID": "<img>"]),
        ]
        let expected = [
            "--XyZ", "Content-Type: application/json; charset=utf-8", "", "{}", "--XyZ", "Content-ID: <img>", "", "x",
            "--XyZ--", "",
        ].joined(separator: "\r\n")
        let related = MultipartBody.related(parts, boundary: "XyZ")
        #expect(try encoded(related) == expected)
        #expect(related.contentType == "multipart/related; boundary=XyZ; type=\"application/json\"")
        let mixed = MultipartBody.mixed(parts, boundary: "X Z")
        #expect(try encoded(mixed) == expected.replacingOccurrences(of: "XyZ", with: "X Z"))
        #expect(mixed.contentType == "multipart/mixed; boundary=\"X Z\"")
        #expect(RequestBody.multipart(related).contentType == related.contentType)
        #expect(MultipartBody(parts).contentType.hasPrefix("multipart/form-data; "))
    }

    @Test(arguments: [
        ("A b", "x", "is not a token"), ("A", "x\r\nB: y", "control character"), ("A", " x", "begins or ends"),
        ("Content-Disposition", "form-data; name=b", "the form's to set"),
    ])
    func `a header field that would break the part is refused`(name: String, value: String, words: String) throws {
        let form = MultipartBody([
            .text("a", "x").addingHeaders(HTTPHeaders([HTTPHeaders.Field(name: name, value: value)]))
        ])
        let error = try #require(throws: HTTPError.self) { _ = try Request(.post("http://h/") |> .multipart(form)) }
        #expect("\(error)".contains(words), "\(error)")
    }
}
