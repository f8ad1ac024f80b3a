import TestSupport
import HTTPCaching
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import Foundation
import HTTPCore
import HTTPTesting
import Testing

@Suite struct LogTests {
    private let lines = Notes<String>()
    private let clock = TestClock()

    private func client(_ next: any HTTPClient, _ level: LogLevel = .line) -> any HTTPClient {
        clock.around(next).intercepted(by: .log(level) { [lines] in lines.note($0) })
    }

    private func answering(
        _ status: HTTPStatus = .ok, type: String = "application/json", body: String = "", headers: HTTPHeaders = [:]
    ) -> StubClient {
        StubClient { [clock] request in
            clock.advance(by: .microseconds(12_400))
            var metrics = Metrics()
            (metrics.bytesSent, metrics.bytesReceived, metrics.attemptCount) = (310, 1204, 2)
            var headers = headers
            headers.append(type, for: "Content-Type")
            return .success(
                Response(request: request, status: status, headers: headers, body: Data(body.utf8), metrics: metrics))
        }
    }

    @Test func `a call is one line with its main figures`() {
        _ = client(answering(.notFound)).executeRequest(.get("http://user:pw@h/a?page=2&api_key=k123#f"))
        #expect(
            lines.all == [
                "GET http://h/a?page=2&api_key=<redacted> → 404 in 12 ms, 310 bytes sent, 1204 bytes received, 2 attempts"
            ])
    }

    @Test func `all header fields are shown on demand, and harmless ones always`() throws {
        let headers: HTTPHeaders = ["Grpc-Status": "7", "X-Key": "k123", "Set-Cookie": "a=b"]
        let shown = Notes<String>()
        let request = MutableRequest.get("http://h/?token=t") |> .bearer("s3cret")
        for isRevealing in [false, true] {
            let client = answering(headers: headers).intercepted(
                by: .log(.headers, revealingHeaders: isRevealing) { shown.note($0) })
            _ = client.executeRequest(request)
        }
        let (masked, whole) = (shown.all[0], shown.all[1])
        #expect(masked.contains("< Grpc-Status: 7") && whole.contains("< Grpc-Status: 7"))
        for secret in ["k123", "a=b", "s3cret"] { #expect(!masked.contains(secret) && whole.contains(secret)) }
        #expect(!whole.contains("token=t"))
        #expect(headers.description(revealingSecrets: true) == "Grpc-Status: 7\nX-Key: k123\nSet-Cookie: a=b")
        #expect(headers.description(revealingSecrets: false) == "\(headers)")
    }

    @Test func `an error is one line with its reason`() {
        let client = client(ScriptedClient(ScriptedClient.broken(.refused)))
        _ = client.executeRequest(.get("http://h/?token=t"))
        #expect(lines.all.count == 1)
        #expect(
            lines.all[0].hasPrefix(
                "GET http://h/?token=<redacted> failed in under 1 ms: nothing accepts connections at h"))
        #expect(!lines.all[0].contains("\n"))
    }

    @Test func `waits are shown apart from the time of exchanges`() throws {
        let busy = StubClient(strict: true).on(
            "**", answer: .status(.serviceUnavailable).header("Retry-After", "8").then(.text("ok").taking(.seconds(2))))
        let client = busy.intercepted(by: .log { [lines] in lines.note($0) }, .retry())
        let response = try client.send(.get("http://h/"))
        #expect(lines.all[0].hasPrefix("GET http://h/ → 200 in 10 s, 8 s of it waiting"))
        #expect(response.metrics.waited == .seconds(8) && response.metrics.total == .seconds(10))
    }

    @Test func `the line, the events and the explanation say how a cache handled a call`() throws {
        let stub = StubClient().on(
            .get, "/",
            answer: .text("x").header("Cache-Control", "max-age=10").header("ETag", "\"1\"").then(
                .status(.notModified).header("Cache-Control", "max-age=10")))
        let told = Locked<[String]>([])
        let client = stub.intercepted(
            by: .log { [lines] in lines.note($0) },
            .observing { event in if let status = event.cacheStatus { told.withLock { $0.append(status.summary) } } },
            .cache(.memory(megabytes: 1)))
        let miss = try client.send(.get("http://h/"))
        let hit = try client.send(.get("http://h/"))
        _ = try client.send(.get("http://h/") |> .header("Cache-Control", "no-cache"))
        _ = try client.send(.delete("http://h/"))
        #expect(told.withLock { $0 } == ["miss", "hit", "revalidated", "bypass"])
        #expect(lines.all[0].hasSuffix(", cache miss") && lines.all[1].hasSuffix(", cache hit"))
        #expect(lines.all[2].hasSuffix(", cache revalidated") && lines.all[3].hasSuffix(", cache bypass"))
        #expect(miss.explanation.contains("\nCache-Status: straightline; fwd=uri-miss; stored; ttl="))
        #expect(hit.explanation.contains("\nCache-Status: straightline; hit; ttl="))
        #expect(
            hit.history.attempts.isEmpty && hit.history.cacheStatusField?.hasPrefix("straightline; hit; ttl=") == true)
    }

    @Test func `harmless fields can be added`() {
        let client = clock.around(answering(headers: ["X-Shard": "7", "X-Other": "8"]))
            .intercepted(by: .log(.headers, showing: ["X-SHARD"]) { [lines] in lines.note($0) })
        _ = client.executeRequest(.get("http://h/"))
        #expect(lines.all[0].contains("X-Shard: 7") && lines.all[0].contains("X-Other: <redacted>"))
    }

    @Test func `a refused response is a line without the server's message`() {
        let refusing = answering(.forbidden, body: #"{"message":"wrong, s3cret"}"#).intercepted(by: .validate())
        _ = client(refusing).executeRequest(.get("http://h/"))
        #expect(
            lines.all == [
                "GET http://h/ → 403, refused, in 12 ms, 310 bytes sent, 1204 bytes received, 2 attempts"
            ])
    }

    @Test func `headers are masked unless they are known to be harmless`() {
        let steps: RequestStep = .bearer("s3cret") |> .header("X-Device", "s3cret") |> .accept("text/plain")
        _ = client(answering(headers: ["Set-Cookie": "id=s3cret", "ETag": "\"1\"\u{1B}"]), .headers).executeRequest(
            .get("http://h/") |> steps)
        #expect(
            lines.all[0].split(separator: "\n").dropFirst() == [
                "> Authorization: <redacted>", "> X-Device: <redacted>", "> Accept: text/plain",
                "< Set-Cookie: <redacted>",
                #"< ETag: "1"\u{1B}"#, "< Content-Type: application/json",
            ])
    }

    @Test func `the start of text bodies is shown on one line`() {
        _ = client(answering(type: "text/plain", body: "0123456789\nabc"), .bodies(upTo: 10)).executeRequest(
            .post("http://h/") |> .text("a\nb"))
        let details = lines.all[0].split(separator: "\n")
        #expect(details.contains(#"> a\nb"#))
        #expect(details.contains("< 0123456789 … (14 bytes)"))
    }

    @Test(arguments: [
        ("application/json", #"{"access_token":"s3cret"}"#), ("application/json", #"{"a":1,"passwd" : "s3cret"}"#),
        ("application/json", #"{"a":"{\"apiKey\":\"s3cret\"}"}"#), ("text/plain", "the password is s3cret"),
        ("application/x-www-form-urlencoded", "a=1&api%5Fkey=s3cret"),
        ("application/x-www-form-urlencoded", "p%61ss=s3cret"), ("application/xml", "<sessionId>s3cret</sessionId>"),
        ("image/png", "s3cret"), ("application/octet-stream", "s3cret"), ("", "s3cret"),
        ("application/json", #"{"Authorization":"s3cret"}"#), ("application/json", #"{"\u0070assword":"s3cret"}"#),
        ("application/json", #"{"a":"https://me:s3cret@h/"}"#),
        ("text/html", "<input name='pwd' value='s3cret'> pwd=s3cret"),
    ])
    func `a body that may hold a secret is not shown`(_ type: String, _ body: String) {
        let draft = MutableRequest.post("http://h/") |> .data(Data(body.utf8), contentType: type)
        _ = client(answering(type: type, body: body), .bodies(upTo: 1_000)).executeRequest(draft)
        #expect(lines.all.count == 1)
        #expect(!lines.all[0].contains("s3cret"), "\(lines.all[0])")
        #expect(lines.all[0].contains("\(body.utf8.count) bytes"))
    }

    @Test func `an escaped address in a form is masked as in a URL`() {
        let draft = MutableRequest.post("http://h/") |> .form(["a": "1", "next": "https://h/?api_key=s3cret"])
        _ = client(answering(body: "{}"), .bodies(upTo: 1_000)).executeRequest(draft)
        #expect(lines.all[0].contains("a=1&next=<redacted>") && !lines.all[0].contains("s3cret"), "\(lines.all[0])")
    }

    @Test func `a body in a two-byte encoding is not shown`() {
        let text = #"{"password":"abc"}"#
        let body = Data(text.utf16.flatMap { [UInt8($0), 0] })
        _ = client(answering(body: "{}"), .bodies(upTo: 1_000)).executeRequest(
            .post("http://h/") |> .data(body, contentType: "application/json"))
        #expect(lines.all[0].contains("> 36 bytes"))
        #expect(!lines.all[0].contains(#"b\0"#))
    }

    @Test(arguments: ["\u{9B}31m", "\u{85}", "\u{2028}", "\u{202E}"])
    func `characters that end a line or change its direction are escaped in foreign text`(_ text: String) {
        let stub = StubClient { .success(Response(request: $0, status: .ok, headers: ["Server": "a\(text)é漢"])) }
        _ = client(stub, .headers).executeRequest(.get("http://h/"))
        #expect(!lines.all[0].contains(text))
        #expect(lines.all[0].contains(#"< Server: a\u{"#) && lines.all[0].hasSuffix("é漢"))
    }

    @Test func `a harmless body is shown`() {
        _ = client(answering(body: #"{"name":"design","hours":3}"#), .bodies(upTo: 1_000)).executeRequest(
            .get("http://h/"))
        #expect(lines.all[0].hasSuffix(#"< {"name":"design","hours":3}"#))
    }
}
