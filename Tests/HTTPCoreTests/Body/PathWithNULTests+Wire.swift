import TestSupport
import HTTPTransfers
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Paths with a NUL, at which the system would end them.
@Suite struct PathWithNULTests {
    @Test func `a request with such a file path is not sent, and the error names it`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write("mine".utf8, to: "a") + "\0.bin"
        let server = try MockServer { _ in .text("ok") }
        let client = CurlTransport()
        let results: [Result<Void, HTTPError>] = [
            Result(try client.download(.get(server.url), to: path)).map { _ in },
            client.executeRequest(.get(server.url) |> .destination(.file(path))).map { _ in },
            Result(try client.upload(.put(server.url), from: path)).map { _ in },
            client.executeRequest(.post(server.url) |> .multipart(MultipartBody([.init("f", .file(path))]))).map { _ in
            },
        ]
        for (index, result) in results.enumerated() {
            guard case .failure(let error) = result, case .invalidRequest = error else {
                throw Refusal("\(index): \(result)")
            }
            #expect("\(error)".contains("a\\0.bin"), "\(error)")
            #expect("\(error)".contains("NUL"))
        }
        #expect(server.requestCount == 0)
        #expect(try directory.read("a") == Array("mine".utf8))
        #expect(directory.names == ["a"])
    }
}
