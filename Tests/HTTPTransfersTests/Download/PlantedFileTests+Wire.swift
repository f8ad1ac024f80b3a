import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Complete files, and their validators, that another user has planted.
@Suite struct PlantedFileTests {
    private static let content = Array("the real one".utf8)
    private static let planted = Array("a planted one".utf8)
    private static let isRoot = geteuid() == 0

    private let client = CurlTransport()
    private let directory: ScratchDirectory
    private let server: MockServer
    private let path: String

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("a.bin")
        server = try MockServer { request in
            let isKnown = request.headers.contains("If-None-Match") || request.headers.contains("If-Modified-Since")
            return isKnown ? .status(.notModified) : MockResponse.data(Self.content).header("ETag", "\"v1\"")
        }
        _ = try directory.write(Self.planted, to: "a.bin")
    }

    private var request: MutableRequest { .get(server.url("/a")) |> .timeout(.seconds(20)) }
    private var sum: String { SHA256.hexadecimal(of: Self.planted) }

    private func expectRefusal<Value>(_ result: Result<Value, HTTPError>, _ words: String) throws {
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason == .unwritableFile && failure.path == path)
        #expect("\(failure.underlying ?? failure)".contains(words), "\(failure)")
        #expect(server.requestCount == 0)
        #expect(directory.names.filter { $0 != "other" } == ["a.bin"], "nothing is added or removed")
        #expect(try directory.read("a.bin") == Self.planted)
    }

    @Test(.enabled(if: isRoot, "only root can make a file somebody else's"))
    func `a complete file of another user is not taken for the download, whatever its checksum`() throws {
        #expect(chown(path, 54_321, 54_321) == 0)
        let words = "it belongs to user 54321, and this process runs as user 0"
        try expectRefusal(Result(try client.download(request, to: path)), words)
        try expectRefusal(Result(try client.download(request, to: path, sha256: sum)), words)
        try expectRefusal(Result(try client.downloadIfNewer(request, to: path)), words)
    }

    @Test func `a complete file with a second name is not taken for the download`() throws {
        #expect(link(path, directory.file("other")) == 0)
        try expectRefusal(Result(try client.download(request, to: path)), "it has 2 names")
        try expectRefusal(Result(try client.download(request, to: path, sha256: sum)), "it has 2 names")
        try expectRefusal(Result(try client.downloadIfNewer(request, to: path)), "it has 2 names")
    }

    @Test(.enabled(if: isRoot, "only root can make a file somebody else's"))
    func `a link to a file of another user is not taken for the download`() throws {
        try FileManager.default.moveItem(atPath: path, toPath: directory.file("other"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "other")
        #expect(chown(directory.file("other"), 54_321, 54_321) == 0)
        try expectRefusal(Result(try client.download(request, to: path)), "it belongs to user 54321")
        try expectRefusal(Result(try client.downloadIfNewer(request, to: path)), "it belongs to user 54321")
    }

    @Test(.enabled(if: isRoot, "only root can make a file somebody else's"))
    func `a file of another user is replaced where that is asked for`() throws {
        #expect(chown(path, 54_321, 54_321) == 0)
        _ = try client.download(request, to: path, replacing: true)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(server.requestCount == 1)
        #expect(try SystemCall.status(at: path).get().isOwn)
    }

    @Test func `an own file counts as the download, also behind a link`() throws {
        try FileManager.default.createSymbolicLink(atPath: directory.file("b"), withDestinationPath: "a.bin")
        #expect(try client.download(request, to: path).fetchedByteCount == 0)
        #expect(try client.download(request, to: directory.file("b"), sha256: sum).fetchedByteCount == 0)
        #expect(server.requestCount == 0)
    }

    @Test func `validators with a second name do not keep the server's version away`() throws {
        try expectNewVersion { link($0, directory.file("other")) }
    }

    @Test(.enabled(if: isRoot, "only root can make a file somebody else's"))
    func `validators of another user do not keep the server's version away`() throws {
        try expectNewVersion { chown($0, 54_321, 54_321) }
    }

    /// The server's second version comes, although the record that is planted would confirm the first.
    private func expectNewVersion(plant: (String) -> Int32) throws {
        let path = directory.file("b")
        _ = try client.downloadIfNewer(request, to: path)
        #expect(plant(path + ".validators.json") == 0)
        server.handler = { $0.headers["If-None-Match"] == "\"v1\"" ? .status(.notModified) : .text("the second one") }
        guard case .downloaded = try client.downloadIfNewer(request, to: path) else { return unexpected("no download") }
        #expect(try directory.read("b") == Array("the second one".utf8))
        #expect(server.requestCount == 2)
    }
}
