import HTTPCore
import HTTPCurl
import Testing

import HTTPMockServer

/// Requests with heads around the limit of nghttp2, which drops larger ones.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(5))) struct HTTP2HeadTests {
    @Test(arguments: [HTTPVersion.http2, .http1_1], EntryStyle.allCases)
    func `a head of more than 64 KiB is refused where HTTP/2 was agreed on, before it is sent`(
        version: HTTPVersion, style: EntryStyle
    ) async throws {
        let server = try MockServer(security: .tls(), versions: [version]) { _ in .text("hello") }
        let client = try CurlTransport.trusting(server)
        // On a new connection, on a kept one, and with a long target.
        let long = "/" + String(repeating: "b", count: 70_000)
        for (count, target) in [(17, "/"), (1, "/"), (16, "/"), (17, "/"), (0, long), (1, "/")] {
            var draft = MutableRequest.get(server.url(target)) |> .timeout(.seconds(20))
            for index in 0..<count { draft = draft |> .header("X-\(index)", String(repeating: "a", count: 4000)) }
            let result = await style.results(of: [try Request(draft)], over: client, atOnce: 1)[0]
            if version == .http2, count == 17 || count == 0 {
                guard case .failure(.unsupported(let problem)) = result else { throw Unexpected("\(result)") }
                let text = "\(problem)"
                #expect(text.contains("64 KiB at most") && text.contains(".version(.http1)"), "\(text)")
            } else {
                let response = try result.get()
                #expect(response.status == 200 && response.version == version)
            }
        }
        #expect(server.requestCount == (version == .http2 ? 3 : 6))
        // A refusal does not cost a kept connection. A new one, to which only TLS tickets came yet, libcurl may take for dead.
        if style == .blocking { #expect(Set(server.requests.map(\.connection)).count == 1) }
    }
}

private struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
