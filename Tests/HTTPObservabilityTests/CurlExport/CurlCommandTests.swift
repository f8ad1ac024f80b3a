import HTTPObservability
import HTTPCore
import HTTPFoundation
import HTTPTesting
import Synchronization
import Testing

/// The text of the command. `CurlCommandRunTests` runs it.
@Suite struct CurlCommandTests {
    private func command(_ draft: MutableRequest, revealing: Bool = false) throws -> String {
        try Request(draft).curlCommand(revealingSecrets: revealing)
    }

    @Test func `a plain request is a plain command`() throws {
        #expect(try command(.get("https://h/p?a=1&b=it's")) == #"curl --compressed 'https://h/p?a=1&b=it'\''s'"#)
        #expect(try command(.head("https://h")) == "curl --head --compressed 'https://h/'")
        #expect(
            try command(.delete("https://h") |> .accept("a/b") |> .version(.http1))
                == "curl --http1.1 --request 'DELETE' --header 'Accept: a/b' --compressed 'https://h/'")
        #expect(
            try command(.post("https://h") |> .json(["a": 1]) |> .version(.http1))
                == "curl --http1.1 --header 'Content-Type: application/json' --compressed"
                + #" --data-raw '{"a":1}' 'https://h/'"#)
        #expect(
            try command(.put("https://h"))
                == "curl --request 'PUT' --header 'Content-Type:' --compressed --data-raw '' 'https://h/'")
    }

    @Test func `secrets are masked unless they are revealed`() throws {
        let draft =
            MutableRequest.post("https://user:secret@h/p?token=secret&a=1") |> .header("X-Custom", "secret")
            |> .form(["user": "me", "password": "secret"])
        let masked = try command(draft)
        #expect(!masked.contains("secret"))
        #expect(masked.contains("--header 'Authorization: <redacted>'") && masked.contains("token=<redacted>&a=1"))
        #expect(masked.contains("--data-raw 'user=me&password=<redacted>'"))
        let open = try command(draft, revealing: true)
        #expect(open.contains("token=secret") && open.contains("X-Custom: secret") && open.contains("password=secret"))
        #expect(open.contains("Authorization: Basic " + Data("user:secret".utf8).base64EncodedString()))
    }

    @Test func `the cookies of a jar are sent, after those of the request`() throws {
        let jar = FixedCookies()
        let draft = MutableRequest.get("https://h") |> .cookies(jar)
        #expect(try command(draft, revealing: true) == "curl --header 'Cookie: a=1; b=2' --compressed 'https://h/'")
        #expect(try command(draft).contains("--header 'Cookie: <redacted>'"))
        let own = draft |> .header("Cookie", "b=3")
        #expect(try command(own, revealing: true).contains("--header 'Cookie: b=3; a=1'"))
        // A response has the request as it was sent.
        let sent = try StubClient().on(.get, "/", answer: .text("ok")).send(draft).request
        jar.set("c=4")
        #expect(sent.curlCommand(revealingSecrets: true).contains("--header 'Cookie: a=1; b=2'"))
        #expect(try command(draft, revealing: true).contains("--header 'Cookie: c=4'"))
    }

    private final class FixedCookies: CookieStorage {
        private let field = Mutex("a=1; b=2")

        func set(_ cookies: String) { field.withLock { $0 = cookies } }
        func cookieField(for url: HTTPURL) -> String? { field.withLock { $0 } }
        func store(_ fields: [String], from url: HTTPURL) -> Bool { false }
    }

    @Test func `consent for a body is asked for as the request says`() throws {
        let draft = MutableRequest.post("https://h") |> .expectContinue()
        #expect(try command(draft |> .text("a")).contains("--header 'Expect: 100-continue'"))
        #expect(try !command(draft).contains("Expect"))
    }

    @Test(arguments: [
        RequestStep.json(["apiKey": "x1"]), .json(["a": ["b": ["session_id": "x1"]]]), .text("the password is x1"),
        .data(Data([0xFF, 0xFE, 0x78, 0x31])), .data(Data(#"{"pass\u0077ord" : "x1"}"#.utf8), contentType: "a/b+json"),
        .data(Data(#"{"\u0070assword":"x1"}"#.utf8), contentType: "application/json"),
        .propertyList(["accessToken": "x1"]), .propertyList(["apiKey": "x1"]),
        .data(Data("<apiKey>x1</apiKey>".utf8), contentType: "application/xml"), .text("pwd=x1"),
        .data(Data(#"{"api_key":"x1"}"#.utf8)), .json(["callback": "https://h/?api_key=x1"]),
        .json(["a": "https://user:x1@h/"]), .json(["a": "/cb;jsessionid=x1"]),
        .data(
            Data("--b\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\nx1\r\n--b--".utf8),
            contentType: "multipart/form-data; boundary=b"),
    ])
    func `a body that mentions a secret, or cannot be read, is left out`(step: RequestStep) throws {
        let request = try Request(.post("https://h") |> step)
        let command = request.curlCommand()
        #expect(
            command.hasSuffix(
                "--data-binary @- 'https://h/' <'body of \(try #require(request.body.length)) bytes, not shown'"))
        #expect(!command.contains("x1"))
        #expect(!request.curlCommand(revealingSecrets: true).contains("not shown"))
    }

    @Test(arguments: [
        RequestStep.json(["text": "key: value", "list": "\"pass\": 1"]), .text("hello"), .form(["a": "key"]),
    ])
    func `a body without secrets is shown`(step: RequestStep) throws {
        #expect(try command(.post("https://h") |> step).contains("--data-raw '"))
    }

    @Test func `a long body is replaced by a file`() throws {
        let request = try Request(.post("https://h") |> .text(String(repeating: "x", count: 5000)))
        #expect(request.curlCommand().contains("xxxx"))
        let command = request.curlCommand(revealingSecrets: true, bodyLimit: 4999)
        #expect(command.hasSuffix("--data-binary @- 'https://h/' <'body of 5000 bytes, too long to show'"))
        #expect(command.contains("--header 'Expect:'"))
    }

    @Test func `a file is named, and a streamed body is left out`() throws {
        let file = try command(.post("https://h") |> .file("/tmp/it's"))
        #expect(file.contains("--header 'Expect:'") && file.hasSuffix(#"--data-binary '@/tmp/it'\''s' 'https://h/'"#))
        #expect(try command(.post("https://h") |> .file("-")).contains("--data-binary '@./-'"))
        let stream = MutableRequest.post("https://h") |> .stream(length: 7) { BodySource { _ in 0 } }
        #expect(try command(stream).hasSuffix("@- 'https://h/' <'body of 7 bytes, made while it is sent'"))
        let unknown = MutableRequest.post("https://h") |> .stream { BodySource { _ in 0 } }
        #expect(try command(unknown).hasSuffix("@- 'https://h/' <'body made while it is sent'"))
    }

    @Test func `characters that affect a terminal are written in octal`() throws {
        for text in ["a\u{1B}[2Jb", "a\tb", "a\u{202E}b", "a\u{9B}b", "a\r\nb"] {
            let command = try command(.post("https://h") |> .text(text))
            #expect(command.hasPrefix("printf 'a\\") && command.contains(" | curl "), "\(command)")
            #expect(command.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        }
        #expect(try command(.post("https://h") |> .text("é 😀\n")).contains("--data-raw 'é 😀\n'"))
    }
}
