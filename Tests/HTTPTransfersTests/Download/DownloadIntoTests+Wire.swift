import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Downloads whose name the server chooses.
@Suite struct DownloadIntoTests {
    private let client = CurlTransport()
    private let parent: ScratchDirectory
    private let server: MockServer
    private let directory: String

    init() throws {
        parent = try ScratchDirectory()
        directory = parent.file("in")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        server = try MockServer()
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    private func serve(_ text: String, as disposition: String? = nil) {
        server.handler = { _ in
            let answer = MockResponse.text(text).header("ETag", "\"v1\"")
            return disposition.map { answer.header("Content-Disposition", $0) } ?? answer
        }
    }

    private func read(_ name: String) -> String? {
        FileManager.default.contents(atPath: directory + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `an answer that nobody delivered leaves the file as it is, and is an error`() throws {
        let file = parent.file("precious")
        try Data("kept".utf8).write(to: URL(filePath: file))
        let answering = client.intercepted(
            by: Interceptor { request, _ in .success(Response(request: request, status: .ok, body: Data("abc".utf8))) })
        struct Answering: CallPolicy {
            mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
                .finish(.success(Response(request: moment.request, status: .ok, body: Data("abc".utf8))))
            }
        }
        let request = MutableRequest.get(server.url("/a"))
        let undelivering = ScriptedClient { request in
            .success(Response(request: request, status: .ok, body: Data("abc".utf8)))
        }
        let byPolicy = client.intercepted(by: Interceptor(Answering()))
        let outcomes = [
            byPolicy.executeRequest(request |> .destination(.file(file))).map { _ in () },
            answering.executeRequest(request |> .destination(.file(file))).map { _ in () },
            Result { () throws(HTTPError) in _ = try answering.download(request, to: file, replacing: true) },
            Result { () throws(HTTPError) in _ = try undelivering.download(request, to: file, replacing: true) },
            Result { () throws(HTTPError) in _ = try undelivering.downloadIfNewer(request, to: file) },
        ]
        for outcome in outcomes {
            guard case .failure(.body(let failure)) = outcome else { return unexpected(outcome) }
            #expect(failure.reason == .sink && "\(HTTPError.body(failure))".contains("was not delivered"))
            #expect(try Data(contentsOf: URL(filePath: file)) == Data("kept".utf8))
        }
        #expect(server.requestCount == 0)
        // Without a body there is nothing to deliver.
        let empty = client.intercepted(
            by: Interceptor { request, _ in .success(Response(request: request, status: .ok)) })
        #expect(try empty.send(request |> .destination(.file(file))).status == .ok)
    }

    @Test func `the server names the file`() throws {
        serve("hello", as: "attachment; filename=\"a.txt\"; filename*=UTF-8''%c3%a4.txt")
        let download = try client.download(.get(server.url("/x/y.bin")), to: .directory(directory))
        #expect(names == ["ä.txt"])
        #expect(read("ä.txt") == "hello")
        #expect(download.path == directory + "/ä.txt" && download.byteCount == 5)
    }

    @Test func `a directory without a name is not the root of the system, and nothing is sent`() throws {
        serve("hello")
        #expect { try client.download(.get(server.url("/x")), to: .directory("")) } throws: {
            "\($0)".contains("write . for the current one")
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `without a suggestion the URL names the file`() throws {
        serve("hello")
        _ = try client.download(.get(server.url("/x/y%20z.bin?a=b")), to: .directory(directory))
        #expect(names == ["y z.bin"])
    }

    @Test(arguments: [
        "../../x", "../x", "/x", "..\\x", "./../x", "a/../../x", ".x", "x\u{9}", "~/x", "\\x", "/../x", ".../x", "x.",
    ])
    func `no name leads out of the directory`(name: String) throws {
        let quoted = name.replacingOccurrences(of: "\\", with: "\\\\")
        serve("hello", as: "attachment; filename=\"\(quoted)\"")
        let download = try client.download(.get(server.url("/y")), to: .directory(directory))
        #expect(names == ["x"])
        #expect(parent.names == ["in"])
        #expect(download.path == directory + "/x")
    }

    @Test func `an existing file keeps its name, unless it is to be replaced`() throws {
        for text in ["one", "two", "three"] {
            serve(text, as: "attachment; filename=a.txt")
            _ = try client.download(.get(server.url("/y")), to: .directory(directory))
        }
        #expect(["a.txt", "a (2).txt", "a (3).txt"].map(read) == ["one", "two", "three"])
        serve("four", as: "attachment; filename=a.txt")
        _ = try client.download(.get(server.url("/y")), to: .directory(directory), replacing: true)
        #expect(names.count == 3 && read("a.txt") == "four")
    }

    @Test func `a link of the same name is neither followed nor replaced unasked`() throws {
        let target = parent.file("target")
        try FileManager.default.createSymbolicLink(atPath: directory + "/a.txt", withDestinationPath: target)
        serve("hello", as: "attachment; filename=a.txt")
        _ = try client.download(.get(server.url("/y")), to: .directory(directory))
        #expect(names == ["a (2).txt", "a.txt"])
        _ = try client.download(.get(server.url("/y")), to: .directory(directory), replacing: true)
        #expect(read("a.txt") == "hello")
        #expect(parent.names == ["in"], "nothing was written behind the link")
        let written = try ["a.txt", "a (2).txt"].map { try SystemCall.status(at: directory + "/" + $0).get() }
        #expect(written[0].permissions == written[1].permissions, "not those of the link, which are all")
    }

    @Test func `it resumes an earlier download, and keeps the name given first`() throws {
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = FileOnServer(content: content)
        server.handler = {
            file.answer($0).header("Content-Disposition", "attachment; filename=a.bin")
                .failing(.close(.midBody(after: 30_000)))
        }
        #expect(throws: HTTPError.self) { try client.download(.get(server.url("/y")), to: .directory(directory)) }
        #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("y-") }, "a part and its record")
        server.handler = { file.answer($0) }
        let download = try client.download(.get(server.url("/y")), to: .directory(directory))
        #expect(download.fetchedByteCount == 70_000)
        #expect(names == ["a.bin"])
        #expect(FileManager.default.contents(atPath: directory + "/a.bin") == Data(content))
    }

    @Test func `a wrong checksum, a refusal or a missing directory leaves no file`() throws {
        serve("hello", as: "attachment; filename=a.txt")
        let zeros = String(repeating: "0", count: 64)
        #expect(throws: HTTPError.self) {
            try client.download(.get(server.url("/y")), to: .directory(directory), sha256: zeros)
        }
        server.handler = { _ in .status(.notFound) }
        #expect(throws: HTTPError.self) { try client.download(.get(server.url("/y")), to: .directory(directory)) }
        #expect(names == [])
        #expect(throws: HTTPError.self) {
            try client.download(.get(server.url("/y")), to: .directory(directory + "/no"))
        }
        #expect(server.requestCount == 2)
    }
}
