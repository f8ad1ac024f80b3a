import HTTPObservability
import HTTPTransfers
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Requests whose body has no Content-Type, such as presigned PUTs.
@Suite struct ContentTypeRemovalTests {
    private let client = CurlTransport()
    private let server: MockServer
    private let directory: ScratchDirectory

    init() throws {
        server = try MockServer { _ in .status(.ok) }
        directory = try ScratchDirectory()
        _ = try directory.write("bytes".utf8, to: "f")
    }

    private var put: MutableRequest { .put(server.url("/a")) }

    private func expectNone(_ result: Result<Response, HTTPError>) throws {
        _ = try result.get()
        let request = try #require(server.requests.last)
        #expect(!request.headers.contains("Content-Type"), "\(request.headers)")
        #expect(request.body == Array("bytes".utf8))
    }

    @Test func `a removed Content-Type is not sent, whatever the body`() throws {
        let bodies: [RequestStep] = [
            .data(Data("bytes".utf8)), .text("bytes"), .file(directory.file("f"), contentType: "a/b"),
            .stream { .data(Data("bytes".utf8)) }, .stream(length: 5) { .data(Data("bytes".utf8)) },
            .body(.data(Data("bytes".utf8), contentType: "x/y")),
        ]
        for body in bodies {
            try expectNone(client.executeRequest(put |> body |> .removingHeader("content-type")))
            try expectNone(client.executeRequest(put |> .contentType("c/d") |> body |> .removingHeader("Content-Type")))
            let stepped = client.intercepted(by: .applying(.removingHeader("CONTENT-TYPE")))
            try expectNone(stepped.executeRequest(put |> body))
        }
    }

    @Test func `nil for the type sends none`() throws {
        try expectNone(Result(try client.upload(put, from: directory.file("f"), contentType: nil)))
        try expectNone(client.executeRequest(put |> .data(Data("bytes".utf8), contentType: nil)))
        try expectNone(client.executeRequest(put |> .file(directory.file("f"), contentType: nil)))
        try expectNone(client.executeRequest(put |> .stream(contentType: nil) { .data(Data("bytes".utf8)) }))
    }

    @Test func `an upload of a draft without a Content-Type sends none, nor one of a finished request`() throws {
        let removed = put |> .removingHeader("Content-Type")
        try expectNone(Result(try client.upload(removed, from: directory.file("f"))))
        try expectNone(Result(try client.upload(Request(removed), from: directory.file("f"))))
        let stepped = client.intercepted(by: .applying(.header("X-A", "b")))
        try expectNone(Result(try stepped.upload(Request(removed), from: directory.file("f"))))
    }

    @Test func `what is set or added later is sent`() throws {
        let removed = put |> .data(Data("bytes".utf8)) |> .removingHeader("Content-Type")
        _ = try client.executeRequest(removed |> .contentType("a/b")).get()
        #expect(server.requests.last?.headers.values(for: "Content-Type") == ["a/b"])
        _ = try client.executeRequest(removed |> .text("x")).get()
        #expect(server.requests.last?.headers["Content-Type"] == "text/plain; charset=utf-8")
        _ = try client.upload(put |> .contentType("c/d"), from: directory.file("f"))
        #expect(server.requests.last?.headers["Content-Type"] == "c/d")
    }

    @Test func `the curl command sends none either`() throws {
        let request = try Request(put |> .text("x") |> .removingHeader("Content-Type"))
        #expect(request.curlCommand().contains("--header 'Content-Type:'"))
    }
}
