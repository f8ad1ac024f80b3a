#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

import HTTPCore
import HTTPObservability

/// Printed text: logs, errors and commands to copy.
enum PrintTargets {
    static let all = [FuzzTarget("redaction", redaction), FuzzTarget("shell", shell), FuzzTarget("problem", problem)]

    private static let secret = "S3CR3TPLANT"

    /// A secret in a known place is not printed, whatever surrounds it.
    private static func redaction(_ input: FuzzInput) {
        let text = input.text
        // The fuzzer sees the text that is compared.
        guard !text.utf8.contains(secret.utf8) else { return }
        for url in endsAuthority(text)
            ? []
            : [
                "https://\(secret):\(text)@host.example/", "//user:\(text)\(secret)@host.example/",
                "https://user:\(text)\(secret)@host.example/p",
            ]
        {
            check(Redaction.urlText(url), of: url)
        }
        for url in [
            "https://user:\(secret)@\(text)",
            "https://host.example/?token=\(secret)&\(text)", "https://host.example/\(text)?token=\(secret)",
            "https://host.example/?\(text)&password=\(secret)", "https://host.example/#\(text)\(secret)",
            "https://user:\(secret)\(text)@host.example/p",
        ] {
            check(Redaction.urlText(url), of: url)
            if let parsed = try? HTTPURL(url) { check(parsed.description, of: url) }
            do { _ = try Request(.get(url)) } catch { check(error.description, of: url) }
        }
        let form = Redaction.maskedQuery("\(text)&api_key=\(secret)"[...])
        check(form, of: text)
        // A name that is not on the allow-list.
        check(HTTPHeaders.Field(name: "X-Own-\(text)", value: secret).description, of: text)
        let again = Redaction.maskedQuery(form[...])
        require(areSame(again, form), "masked twice, \(form.debugDescription) is \(again.debugDescription)")
    }

    /// Whether the text after a colon, beginning with `text`, can be read as a port, or as a password and a host, and a
    /// path.
    private static func endsAuthority(_ text: String) -> Bool {
        let start = text.utf8.prefix { !ASCII.endsAuthority($0) }
        return start.count < text.utf8.count && (start.allSatisfy(ASCII.isDigit) || start.contains(UInt8(ascii: "@")))
    }

    private static func check(_ shown: String, of text: String) {
        require(!shown.utf8.contains(secret.utf8), "of \(text.debugDescription) it shows \(shown.debugDescription)")
    }

    /// A command for a shell sends its request, and does nothing else.
    private static func shell(_ input: FuzzInput) {
        let parts = input.parts(3)
        let draft =
            MutableRequest.post("https://host.example/p?q=\(parts[0])") |> .addingHeader("X-Test", parts[1])
            |> .body(.data(Data(parts[2].utf8), contentType: "text/plain"))
        guard let request = try? Request(draft) else { return }
        let command = request.curlCommand(revealingSecrets: true, bodyLimit: 1 << 20)
        guard let words = ShellWords.commands(command) else { return require(false, "no plain command: \(command)") }
        let curl = words.last ?? []
        require(words.count <= 2 && curl.first == "curl", "the commands are \(words)")
        require(curl.contains { areSame($0, request.url.string) }, "no URL in \(curl)")
        let line = parts[1].isEmpty ? "X-Test;" : "X-Test: \(parts[1])"
        require(curl.contains { areSame($0, line) }, "no \(line.debugDescription) in \(curl)")
        let body =
            words.count == 2 ? ShellWords.printf(words[0]) : curl.last { _ in true }.flatMap { _ in rawBody(curl) }
        require(parts[2].isEmpty || body == Array(parts[2].utf8), "the body of \(command) is another")
        _ = request.curlCommand()
    }

    private static func rawBody(_ words: [String]) -> [UInt8]? {
        guard let place = words.firstIndex(of: "--data-raw"), place + 1 < words.count else { return nil }
        return Array(words[place + 1].utf8)
    }

    private static let types = [
        "application/problem+json", "application/json", "text/plain", "text/plain; charset=latin1", "",
    ]

    /// A server's message stays on one short line.
    private static func problem(_ input: FuzzInput) {
        guard let request = try? Request(.get("https://host.example/")) else { return }
        let response = Response(
            request: request, status: .badRequest, headers: ["Content-Type": types[input.choice % types.count]],
            body: Data(input.rest.bytes))
        for line in [response.serverMessage, "\(HTTPError.unacceptableStatus(response))"].compactMap(\.self) {
            require(!line.utf8.contains(where: ASCII.isControl), "control characters in \(line.debugDescription)")
            require(
                !line.unicodeScalars.contains { (0x80...0x9F).contains($0.value) || $0.properties.isBidiControl },
                "what turns a terminal in \(line.debugDescription)")
        }
        _ = try? response.text()
        do { _ = try response.decoded(as: [String: Int].self) } catch {
            require(
                !error.description.utf8.contains { $0 < 0x20 && $0 != 0x0A },
                "the error is \(error.description.debugDescription)")
        }
    }
}
