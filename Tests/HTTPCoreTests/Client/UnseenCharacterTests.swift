import HTTPEngine
import HTTPObservability
import HTTPPolicies
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPTesting
import TestSupport
import Testing

import HTTPCore

/// Errors and descriptions show foreign text without hidden characters.
@Suite struct UnseenCharacterTests {
    private static let text = "ok\u{200B}\u{202E}\u{2066}\u{FEFF}\u{AD}\u{61C}\u{200D}x"
    private static let shown = "ok\\u{200B}\\u{202E}\\u{2066}\\u{FEFF}\\u{00AD}\\u{061C}\\u{200D}x"

    private static func response(_ body: String, type: String = "text/plain") throws -> Response {
        Response(
            request: ErrorSample.request, status: .notFound, reasonPhrase: text,
            headers: ["Content-Type": type, "Server": text], body: .init(body.utf8))
    }

    @Test func `errors show foreign text without hidden characters`() throws {
        let record = ErrorSample.record(.receiving, engine: Self.text)
        let errors: [HTTPError] = [
            .invalidRequest(InvalidRequest(.get("http://\(Self.text)"), Self.text)),
            .invalidRequest(InvalidRequest(.request(HTTPMethod(rawValue: Self.text), "x\(Self.text)"), "no")),
            .unsupported(Unsupported(Self.text, Self.text)),
            .resolution(ResolutionFailure(host: Self.text, record: record)),
            .connection(ConnectionFailure(.broken, mayHaveBeenProcessed: false, record: record)),
            .tls(TLSFailure(.wrongHost, record: record)),
            .protocolViolation(ProtocolViolation(Self.text, record: record)),
            .truncatedBody(TruncatedBody(.contentCoding(Self.text), received: 1, record: record)),
            .redirect(RedirectFailure(.badLocation(Self.text), status: .found, record: record)),
            .unacceptableStatus(try Self.response(Self.text)),
            .unacceptableStatus(try Self.response("{\"message\": \"\(Self.text)\"}", type: "application/json")),
            .decoding(DecodingFailure(response: try Self.response(Self.text), expectedType: "T", reason: Self.text)),
        ]
        for error in errors {
            let text = "\(error)"
            #expect(text.unicodeScalars.allSatisfy { !Unicode.Scalar.unseen.contains($0) }, "\(text)")
            #expect(text.contains(Self.shown), "\(text)")
        }
    }

    @Test func `a printed URL, request, field or cookie has no hidden characters`() throws {
        let problem = try #require(throws: HTTPError.self) { _ = try HTTPURL("http://a,\(Self.text)/") }
        let jar = CookieJar()
        jar.store(["\(Self.text)=1; Path=/\(Self.text)"], from: try HTTPURL("http://h/"))
        let texts = [
            "\(problem)", "\(MutableRequest.get("a b\(Self.text)"))", "\(RequestPath(encoded: "x\(Self.text)"))",
            "\(HTTPHeaders.Field(name: "Server", value: Self.text))", "\(try Self.response(""))",
            "\(try #require(jar.cookies.first))", "\(Proxy(host: Self.text, port: 1))",
        ]
        for text in texts {
            #expect(text.unicodeScalars.allSatisfy { !Unicode.Scalar.unseen.contains($0) }, "\(text)")
            #expect(text.contains(Self.shown), "\(text)")
        }
        let error = try #require(throws: HTTPError.self) {
            _ = try Request(.get("http://h/") |> .header(Self.text, "a"))
        }
        #expect("\(error)".contains(Self.shown), "\(error)")
    }

    /// What a terminal acts on: ESC, CSI, line ends of Unicode, overrides and marks of direction.
    private static let hostile =
        "\u{1B}]0;x\u{7}\u{9B}2J\u{2028}\u{2029}\u{202E}\u{2066}\u{200E}\u{200F}\u{61C}\u{85}\u{0}\r\n"

    @Test func `the parts of an error and a problem print without hidden characters`() throws {
        let text = Self.hostile
        let record = ErrorSample.record(.receiving, engine: text)
        let json = try JSONEncoder().encode(["title": text, "detail": text, "type": text, "instance": text])
        let response = Response(
            request: ErrorSample.request, status: .badRequest, headers: ["Content-Type": "application/problem+json"],
            body: json)
        let problem = try #require(response.problem)
        let link = try #require(
            Response(request: ErrorSample.request, status: .ok, headers: ["Link": "<\(text)>; rel=\"\(text)\""]).links
                .first)
        let decoding = DecodingFailure(response: response, expectedType: "T", reason: text)
        let parts: [any CustomStringConvertible] = [
            ProtocolViolation(text, record: record), InvalidRequest(.get("http://h/"), text), Unsupported(text, text),
            RedirectFailure(.badLocation(text), status: .found, record: record), decoding,
            TruncatedBody(.contentCoding(text), received: 1, record: record), problem, link,
            BodyFailure(.sink, underlying: BrokenBodyContract(description: text), record: record),
            StreamReadingError(text), TLSFailure(.untrusted, record: record), HTTPError.unacceptableStatus(response),
            ConnectionFailure(.other, mayHaveBeenProcessed: false, record: record),
        ]
        for part in parts {
            for shown in ["\(part)", "\([part])"] {
                #expect(shown.unicodeScalars.allSatisfy(ASCII.isPrintable), "\(shown.debugDescription)")
                #expect(!shown.contains("secret@") && !shown.contains("token=secret"))
            }
        }
        for text in [
            ProtocolViolation(text, record: record).reason, InvalidRequest(.get("http://h/"), text).reason,
            decoding.reason, record.engine?.message ?? "",
        ] {
            #expect(text.unicodeScalars.allSatisfy(ASCII.isPrintable), "\(text.debugDescription)")
        }
        #expect("\(problem)".contains("\\u{202E}") && "\(problem)".contains("\\u{1B}"))
    }

    @Test func `a problem prints its members on one line`() {
        #expect(
            "\(Problem(type: "https://e/credit", title: "Out of credit", status: 403, detail: "30 left", instance: "/1"))"
                == "Out of credit (403): 30 left (https://e/credit) at /1")
        #expect("\(Problem(status: 500))" == "a problem (500)")
        #expect("\(Problem(type: "urn:x"))" == "(urn:x)")
    }

    @Test func `log lines, fields and an explanation show foreign text without hidden characters`() throws {
        // No field has a line break or NUL.
        let value = String(Self.hostile.unicodeScalars.filter { ![0x00, 0x0A, 0x0D].contains($0.value) })
        let answer = StubClient().on(
            "**", answer: .status(.notFound).header("Server", value).header("ETag", value))
        let lines = Locked<[String]>([])
        let client = answer.intercepted(
            by: .log(.headers, revealingHeaders: true) { line in lines.withLock { $0.append(line) } })
        _ = client.executeRequest(.get("http://h/"))
        let shown = lines.withLock { $0.joined() }
        #expect(shown.unicodeScalars.allSatisfy { $0 == "\n" || ASCII.isPrintable($0) }, "\(shown.debugDescription)")
        #expect(shown.contains("\\u{202E}"))
    }

    @Test func `a curl command has no hidden characters`() throws {
        let request = try Request(.get("http://h/") |> .header("User-Agent", Self.text))
        let command = request.curlCommand()
        #expect(command.unicodeScalars.allSatisfy { !Unicode.Scalar.unseen.contains($0) }, "\(command)")
        #expect(command.contains("--header \"$(printf 'User-Agent: ok\\342\\200\\213"), "\(command)")
    }
}
