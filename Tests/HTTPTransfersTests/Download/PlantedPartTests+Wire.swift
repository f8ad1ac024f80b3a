import TestSupport
@testable import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Parts and records planted by another user, and who can read the own ones.
@Suite struct PlantedPartTests {
    private static let content = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    private static let planted = content.map { ~$0 }

    private let client = CurlTransport()
    private let directory: ScratchDirectory
    private let server: MockServer
    private let path: String

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("a.bin")
        let file = FileOnServer(content: Self.content)
        server = try MockServer { file.answer($0) }
    }

    private var request: MutableRequest { .get(server.url("/a?token=opensesame")) |> .timeout(.seconds(20)) }

    private func record(of url: String) throws -> Data {
        try JSONEncoder().encode(
            DownloadRecord(url: url, validator: "\"v1\"", total: Int64(Self.planted.count)))
    }

    /// A part that seems complete, with its record.
    private func plant() throws {
        _ = try directory.write(Self.planted, to: "a.bin.partial")
        _ = try directory.write(try record(of: try Request(request).url.string), to: "a.bin.partial.json")
    }

    private func serve(_ content: [UInt8], _ entityTag: String?) {
        let file = FileOnServer(content: content, entityTag: entityTag)
        server.handler = { file.answer($0) }
    }

    private func sha256(of content: [UInt8]) throws -> String {
        let scratch = try ScratchDirectory()
        return try #require(try FileHash.sha256(of: FileReader(scratch.write(content, to: "x"))))
    }

    @Test func `a complete part of an earlier version is not put in the place of a file to be replaced`() throws {
        try plant()
        _ = try directory.write("of the day before".utf8, to: "a.bin")
        serve(Self.content, "\"v2\"")
        let download = try client.download(request, to: path, replacing: true)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(download.fetchedByteCount == 50_000 && download.response?.headers["ETag"] == "\"v2\"")
        #expect(directory.names == ["a.bin"])
        #expect(server.requestCount == 1, "the version is asked for with the file")
        #expect(server.requests.first?.headers["If-Range"] == "\"v1\"")
    }

    @Test func `a complete part of the server's version is fetched again up to its last byte alone`() throws {
        try plant()
        serve(Self.planted, "\"v1\"")
        let download = try client.download(request, to: path, replacing: true)
        #expect(try directory.read("a.bin") == Self.planted)
        #expect(download.byteCount == 50_000 && download.fetchedByteCount == 1)
        #expect(directory.names == ["a.bin"])
        #expect(server.requestCount == 1)
        #expect(server.requests.first?.headers["Range"] == "bytes=49999-")
        #expect(server.requests.first?.headers["If-Range"] == "\"v1\"")
    }

    @Test func `in a directory, the server is asked about a complete part`() throws {
        let url = try Request(request).url
        let part = DownloadRun.path(.directory(directory.path), url).dropFirst(directory.path.count + 1) + ".partial"
        _ = try directory.write(Self.planted, to: String(part))
        _ = try directory.write(try record(of: url.string), to: part + ".json")
        serve(Self.content, "\"v2\"")
        let download = try client.download(request, to: .directory(directory.path))
        #expect(download.path == directory.file("a"))
        #expect(try directory.read("a") == Self.content)
        #expect(directory.names == ["a"])
        #expect(server.requestCount == 1 && server.requests.first?.headers["If-Range"] == "\"v1\"")
    }

    @Test func `a complete part of which no version is known is fetched again to replace a file`() throws {
        _ = try directory.write(Self.planted, to: "a.bin.partial")
        let record = DownloadRecord(url: try Request(request).url.string, validator: nil, total: 50_000)
        _ = try directory.write(try JSONEncoder().encode(record), to: "a.bin.partial.json")
        serve(Self.content, nil)
        _ = try client.download(request, to: path, replacing: true)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(server.requestCount == 1 && server.requests.first?.headers.contains("Range") == false)
    }

    @Test(arguments: [false, true])
    func `a complete part with another checksum is forgotten, and the file is fetched`(replacing: Bool) throws {
        try plant()
        serve(Self.content, "\"v2\"")
        let sha256 = try sha256(of: Self.content)
        let download = try client.download(request, to: path, sha256: sha256, replacing: replacing)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(download.fetchedByteCount == 50_000)
        #expect(directory.names == ["a.bin"])
        #expect(server.requestCount == 1 && server.requests.first?.headers.contains("Range") == false)
    }

    @Test func `what was fetched in place of a part with the wrong checksum is checked, too, and not fetched again`()
        throws
    {
        try plant()
        let expected = try sha256(of: [1, 2, 3])
        let result = Result(try client.download(request, to: path, sha256: expected))
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason == .wrongChecksum(expected: expected, actual: try sha256(of: Self.content)))
        #expect(server.requestCount == 1 && directory.names.isEmpty)
    }

    private func expectRefusal(_ name: String, _ words: String) throws {
        let before = directory.names
        guard case .failure(.body(let failure)) = Result(try client.download(request, to: path)) else {
            throw Refusal("taken")
        }
        #expect(failure.reason == .unwritableFile)
        #expect(failure.path == directory.file(name))
        #expect("\(failure.underlying ?? failure)".contains(words), "\(failure)")
        #expect(server.requestCount == 0)
        #expect(directory.names == before, "nothing is added or removed")
    }

    @Test func `an own complete part with its record needs no request, as after a kill`() throws {
        try plant()
        _ = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.planted)
        #expect(server.requestCount == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a file somebody else's"), arguments: ["", ".json"])
    func `a part or record of another user is refused, and nothing is sent`(suffix: String) throws {
        try plant()
        #expect(chown(directory.file("a.bin.partial" + suffix), 54_321, 54_321) == 0)
        try expectRefusal("a.bin.partial" + suffix, "it belongs to user 54321, and this process runs as user 0")
        #expect(try directory.read("a.bin.partial") == Self.planted)
    }

    @Test(arguments: ["", ".json"])
    func `a part or record with a second name is refused, and that file stays unchanged`(suffix: String) throws {
        try plant()
        let name = "a.bin.partial" + suffix
        #expect(link(directory.file(name), directory.file("other")) == 0)
        let bytes = try directory.read("other")
        try expectRefusal(name, "it has 2 names")
        #expect(try directory.read("other") == bytes)
    }

    @Test(arguments: ["", ".json"])
    func `a part or record that is a symbolic link is refused, and its target stays unchanged`(suffix: String) throws {
        try plant()
        let name = "a.bin.partial" + suffix
        let manager = FileManager.default
        try manager.moveItem(atPath: directory.file(name), toPath: directory.file("other"))
        try manager.createSymbolicLink(atPath: directory.file(name), withDestinationPath: "other")
        let bytes = try directory.read("other")
        try expectRefusal(name, "it is a symbolic link")
        try manager.removeItem(atPath: directory.file("other"))
        try expectRefusal(name, "it is a symbolic link")
        #expect(!bytes.isEmpty)
    }

    @Test(arguments: ["", ".json"])
    func `a part or record that is a pipe is refused without waiting`(suffix: String) throws {
        #expect(mkfifo(directory.file("a.bin.partial" + suffix), 0o600) == 0)
        try expectRefusal("a.bin.partial" + suffix, "it is not a regular file")
    }

    @Test func `a link in the place of the new record is removed, and its target stays as it is`() throws {
        _ = try directory.write("mine".utf8, to: "other")
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("a.bin.partial.json.new"), withDestinationPath: "other")
        _ = try client.download(request, to: path)
        #expect(try directory.read("other") == Array("mine".utf8))
        #expect(directory.names == ["a.bin", "other"])
    }

    @Test func `no other user can read part and record, and the record shows no secret of the URL`() throws {
        let file = FileOnServer(content: Self.content)
        server.handler = { file.answer($0).failing(.close(.midBody(after: 20_000))) }
        guard case .failure(.truncatedBody) = Result(try client.download(request, to: path)) else {
            throw Refusal("not cut")
        }
        for name in ["a.bin.partial", "a.bin.partial.json"] {
            #expect(try SystemCall.status(at: directory.file(name)).get().permissions == 0o600)
        }
        let record = String(decoding: try directory.read("a.bin.partial.json"), as: UTF8.self)
        #expect(!record.contains("opensesame") && record.contains("token="))
        // Another secret is another URL, and the same one is resumed.
        server.handler = { file.answer($0) }
        _ = try client.download(request, to: path)
        #expect(server.requests.last?.headers["Range"] == "bytes=20000-")
        #expect(try directory.read("a.bin") == Self.content)
    }

    @Test func `the part of a URL with another secret is not resumed`() throws {
        let file = FileOnServer(content: Self.content)
        server.handler = { file.answer($0).failing(.close(.midBody(after: 20_000))) }
        _ = Result(try client.download(request, to: path))
        server.handler = { file.answer($0) }
        _ = try client.download(.get(server.url("/a?token=other")), to: path)
        #expect(server.requests.last?.headers.contains("Range") == false)
    }

    @Test func `a new file has the permissions that the umask allows, and a replaced one keeps its own`() throws {
        _ = try client.download(request, to: path)
        #expect(try SystemCall.status(at: path).get().permissions == permissionsOfNewFile())
        for mode in [0o600, 0o755] as [mode_t] {
            #expect(chmod(path, mode) == 0)
            _ = try client.download(request, to: path, replacing: true)
            #expect(try SystemCall.status(at: path).get().permissions == mode)
        }
        #expect(directory.names == ["a.bin"])
    }

    @Test func `a link at the final name stays, and its target is created, then replaced`() throws {
        try FileManager.default.createDirectory(atPath: directory.file("d"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "d/b")
        for replacing in [false, true] {
            _ = try client.download(request, to: path, replacing: replacing)
            #expect(try SystemCall.status(at: path).get().isLink)
            #expect(try directory.read("d/b") == Self.content)
        }
        #expect(server.requestCount == 2)
        #expect(directory.names == ["a.bin", "d"])
    }

    @Test func `another file in the part's place is not used`() throws {
        let part = try PartialFile(of: path)
        try part.begin(DownloadRecord(url: "http://h.test/", validator: nil, total: 3))
        try Array("abc".utf8).withUnsafeBytes { try part.write($0) }
        #expect(rename(directory.file("a.bin.partial"), directory.file("moved")) == 0)
        _ = try directory.write("xyz".utf8, to: "a.bin.partial")
        let problem = #expect(throws: BodyProblem.self) { try part.complete(replacing: true, by: plainly) }
        let words = try #require(problem?.underlying)
        #expect("\(words)".contains("another file took its place"))
        #expect(!directory.names.contains("a.bin"))
    }

    @Test func `an overlong record is ignored`() throws {
        try plant()
        _ = try directory.write(
            Array(try directory.read("a.bin.partial.json")) + Array(repeating: 0x20, count: 1 << 20),
            to: "a.bin.partial.json")
        _ = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(server.requestCount == 1)
    }
}
