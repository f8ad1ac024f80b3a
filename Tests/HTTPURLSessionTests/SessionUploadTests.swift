#if canImport(FoundationNetworking)
import Foundation
import HTTPCore
import HTTPMockServer
import HTTPTesting
import HTTPURLSession
import TestSupport
import Testing

/// What of a file or a source arrives, and what is left behind.
@Suite(.timeLimit(.minutes(5))) struct SessionUploadTests {
    private let client = URLSessionTransport()
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    @Test func `of a symbolic link the file is sent that it names, as one request`() throws {
        let server = try MockServer { _ in .text("ok") }
        let content = (0..<100_000).map { UInt8(0x20 + $0 % 90) }
        let path = try directory.write(content, to: "data")
        try FileManager.default.createSymbolicLink(atPath: directory.file("link"), withDestinationPath: "data")
        let file = try #require(FileHandle(forReadingAtPath: path))
        for path in [directory.file("link"), "/proc/self/fd/\(file.fileDescriptor)"] {
            _ = try client.send(.put(server.url) |> .file(path))
            let request = try server.takeRequest()
            #expect(request.text == String(decoding: content, as: UTF8.self))
            #expect(request.headers.values(for: "Content-Length") == ["100000"])
            #expect(request.headers["Transfer-Encoding"] == nil)
        }
        #expect(server.requestCount == 2 && server.protocolViolations.isEmpty)
    }

    @Test func `a file and a source may be empty`() throws {
        let server = try MockServer { _ in .text("ok") }
        let path = try directory.write([], to: "empty")
        for step in [RequestStep.file(path), .stream { .data(Data()) }] {
            _ = try client.send(.put(server.url) |> step)
            let request = try server.takeRequest()
            #expect(request.body.isEmpty && request.headers["Content-Length"] == "0")
            #expect(request.headers["Transfer-Encoding"] == nil)
        }
    }

    @Test func `a tilde in a path is a letter like any other`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try sendFileBehindTilde() } }
    }

    @Test(arguments: [1 << 20, 96 << 20])
    func `a file that changes while it is sent never makes a complete request, nor another one`(size: Int) throws {
        let path = try directory.write([], to: "f")
        try #require(FileHandle(forWritingAtPath: path)).truncate(atOffset: 64 << 20)
        let server = try MockServer(bodyLimit: 0) { _ in .text("ok") }
        // Only the head has arrived. The rest of the body, more than the buffers hold, is still in the file.
        server.earlyHandler = { _ in
            _ = truncate(path, off_t(size))
            return nil
        }
        let error = try client.executeRequest(.put(server.url) |> .file(path) |> .timeout(.seconds(30))).error()
        guard case .body(let failure) = error else { throw error }
        #expect(failure.reason == .changedFile(expected: 64 << 20, actual: Int64(size)))
        #expect(failure.path == path && failure.record.phase != .starting)
        try server.wait(for: .protocolViolations(1))
        #expect(server.protocolViolations.map(\.kind) == [.truncated] && server.requestCount == 0)
    }

    @Test func `a file that is removed while it is sent arrives whole`() throws {
        let path = try directory.write([], to: "f")
        try #require(FileHandle(forWritingAtPath: path)).truncate(atOffset: 8 << 20)
        let server = try MockServer(bodyLimit: 0) { _ in .text("ok") }
        server.earlyHandler = { _ in
            _ = unlink(path)
            return nil
        }
        _ = try client.send(.put(server.url) |> .file(path) |> .timeout(.seconds(30)))
        #expect(try server.takeRequest().bodyByteCount == 8 << 20)
    }

    @Test func `a call that ends while its source is read has sent nothing`() throws {
        let server = try MockServer { _ in .text("ok") }
        let endless = RequestStep.stream {
            BodySource { room in
                room[0] = 0
                return 1
            }
        }
        let late = try client.executeRequest(.post(server.url) |> endless |> .timeout(.milliseconds(50))).error()
        guard case .timedOut(let timeout) = late else { throw late }
        #expect(timeout.limit == .total && timeout.record?.phase == .starting)
        let token = CancellationToken()
        let cancelling = RequestStep.stream {
            BodySource { _ in
                token.cancel()
                return 0
            }
        }
        let cancelled = try token.run { client.executeRequest(.post(server.url) |> cancelling) }.error()
        guard case .cancelled(let record) = cancelled else { throw cancelled }
        #expect(record?.phase == .starting && server.connectionCount == 0)
    }

    /// Of the whole directory, because others may send at the same time.
    @Test func `a body on its way has no name on the disk, whenever the process ends`() async {
        let path = directory.path
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            recordingErrors { try exitDuringUpload(path) }
        }
        #expect(directory.names.isEmpty)
    }
}

private func sendFileBehindTilde() throws {
    let (work, home) = (try ScratchDirectory(), try ScratchDirectory())
    try FileManager.default.createDirectory(atPath: work.file("~"), withIntermediateDirectories: false)
    _ = try work.write("right".utf8, to: "~/f")
    _ = try home.write("wrong".utf8, to: "f")
    setenv("HOME", home.path, 1)
    guard chdir(work.path) == 0 else { throw Unexpected("\(work.path)") }
    let server = try MockServer { _ in .text("ok") }
    _ = try URLSessionTransport().send(.put(server.url) |> .file("~/f"))
    #expect(try server.takeRequest().text == "right")
}

/// The temporary directory is `path`.
private func exitDuringUpload(_ path: String) throws {
    setenv("TMPDIR", path, 1)
    // It closes nothing, so that the call is in the middle of its body.
    let server = try MockServer(bodyLimit: 0) { _ in .text("ok") }
    server.earlyHandler = { _ in exit(7) }
    _ = URLSessionTransport().executeRequest(.post(server.url) |> .stream { .data(Data(count: 32 << 20)) })
}
#endif
