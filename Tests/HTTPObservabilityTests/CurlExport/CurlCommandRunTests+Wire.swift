import HTTPFoundation
import HTTPObservability
import HTTPMockServer
import HTTPCurl
import HTTPCore
import HTTPTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The command run by `sh -c` and curl, against a real server.
@Suite struct CurlCommandRunTests {
    static let hasCurl = output(of: "command -v curl") != ""

    /// The standard output of `command`.
    private static func output(of command: String) -> String {
        guard let pipe = popen("{ \(command)\n} 2>&1", "r") else { return "" }
        defer { pclose(pipe) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    static let nasty = "it's $HOME `id` $(id) \"q\" \\ ! * ? [a] {b} ~ # & | ; < > %s\n%d é😀 @x -n"

    static let drafts: [@Sendable (String) -> MutableRequest] = [
        { .get($0 + "/p") },
        { .head($0 + "/p") },
        { .delete($0 + "/p?a[]=1&b='x'") |> .query(nasty, nasty) },
        { .get($0) |> .header("X-A", "it's $HOME `id` \\ \"q\" !*?[]{}~#&|;<>%s é") |> .header("X-Empty", "") },
        { .request("a'b`c$d!", $0) |> .bearer("se'cret") },
        { .post($0) |> .text(nasty) },
        { .post($0) |> .text("@/etc/passwd") },
        { .post($0) |> .text("-n leading dash\u{1}%%\\0101'") },
        { .post($0) |> .text("line\n\n") },
        { .post($0) |> .form([nasty: nasty, "password": "x"]) },
        { .put($0) |> .json(["a": nasty, "token": "t"]) },
        { .post($0) |> .data(Data(0...255), contentType: "application/octet-stream") },
        { .post($0) |> .data(Data(repeating: 0, count: 3000)) },
        { .post($0) |> .body(.data(Data("untyped".utf8))) },
        { .post($0) },
        { .patch($0) |> .header("Accept-Encoding", "identity") |> .range(bytes: 1...2) },
        { .get($0) |> .text("a body with GET") },
        { .post($0) |> .text("after 100 Continue") |> .expectContinue() },
        { .get($0) |> .header("Host", "other.example") },
        { .get($0) |> .header("X-A", "zero\u{200B}width \u{202E}'$x' %s -n") },
        { .get($0) |> .header("X-A", "\u{FEFF}-") |> .text("\u{2066}body\n") },
        { .get($0.replacing("http://", with: "http://us%27er:p%20w@")) },
    ]

    @Test(.enabled(if: hasCurl), arguments: drafts.indices)
    func `curl sends what the transport sends`(index: Int) throws {
        let server = try MockServer { _ in .text("ok") }
        let request = try Request(Self.drafts[index](server.url) |> .version(.http1))
        _ = try CurlTransport().send(request)
        let printed = Self.output(of: request.curlCommand(revealingSecrets: true) + " --silent --show-error")
        try #require(server.requests.count == 2, "\(request.curlCommand(revealingSecrets: true)): \(printed)")
        let (ours, curls) = (server.requests[0], server.requests[1])
        #expect(curls.method == ours.method)
        #expect(curls.target == ours.target)
        #expect(curls.body == ours.body)
        #expect(Self.comparable(curls.headers) == Self.comparable(ours.headers))
    }

    /// Without the fields of the program itself.
    private static func comparable(_ headers: HTTPHeaders) -> [String] {
        headers.filter { !$0.isNamed("User-Agent") && !$0.isNamed("Accept-Encoding") }.map { "\($0.name):\($0.value)" }
            .sorted()
    }

    @Test(.enabled(if: hasCurl))
    func `a command without its body sends nothing until the file exists`() throws {
        let server = try MockServer { _ in .text("ok") }
        let request = try Request(.post(server.url) |> .json(["password": "x"]))
        _ = Self.output(of: request.curlCommand())
        #expect(server.connectionCount == 0)
        let command = request.curlCommand().replacing("'body of 16 bytes, not shown'", with: "/dev/null")
        _ = Self.output(of: command)
        #expect(server.requestCount == 1)
    }

    @Test func `a shell takes every word unchanged`() throws {
        for text in [Self.nasty, "'", "''", "'\u{301}'", "\\", "a'b'c", "-", "$(touch x)"] {
            let request = try Request(.post("http://h") |> .text(text))
            let words = request.curlCommand(revealingSecrets: true).dropFirst("curl".count)
            let shown = Self.output(of: "printf '<%s>'" + words)
            #expect(shown.contains("<--data-raw><\(text)><http://h/>"), "\(shown)")
        }
    }
}
