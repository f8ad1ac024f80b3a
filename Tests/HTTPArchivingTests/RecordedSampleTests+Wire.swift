import HTTPArchiving
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

@Suite struct RecordedSampleTests {
    /// Set by `scripts/validate-har`, which validates the file with other programs.
    private static let path = ProcessInfo.processInfo.environment["STRAIGHTLINE_SAMPLE_HAR"]

    @Test func `one archive contains an exchange of every kind`() throws {
        let directory = ArchiveDirectory()
        let path = Self.path ?? directory.file()
        let server = try MockServer { request in
            switch request.path {
            case "/json": return .json(text: #"{"token":"abc","n":[1,2.5,null,true],"text":"\u00e9\ud83d\ude00"}"#)
            case "/bytes": return .data([0, 255, 1])
            case "/away": return .redirect(to: "/json?page=2")
            case "/cookie":
                var answer = MockResponse.text("set")
                answer.headers.append("sid=1; Path=/; Secure", for: "Set-Cookie")
                return answer
            case "/broken": return MockResponse(body: [1, 2, 3], framing: .raw)
            case "/none": return .status(.noContent)
            default: return .text("\(request.body.count)")
            }
        }
        let client = try RecordingClient(
            CurlTransport(), file: path, mode: .refresh, options: .init(bodyLimit: 1000))
        for target in ["/json", "/bytes", "/away", "/cookie", "/none", "/text?q=%20&api_key=k&empty=&flag"] {
            _ = try client.get(server.url(target), .header("Cookie", "a=b") |> .bearer("abc"))
        }
        #expect(client.executeRequest(.get(server.url("/broken"))).message.contains("fail"))
        _ = try client.post(server.url("/form"), .form(["user": "ann", "password": "x"]))
        _ = try client.post(server.url("/files"), .multipart(.text("t", "x"), .data("f", Data([0, 255]))))
        _ = try client.put(server.url("/large"), .text(String(repeating: "x", count: 2000)))
        try client.save()
        let archive = try HTTPArchive(contentsOf: path)
        #expect(archive.entries.map(\.response.status) == [200, 200, 302, 200, 200, 204, 200, 0, 200, 200, 200])
        #expect(server.requests.count == 11)
    }
}
