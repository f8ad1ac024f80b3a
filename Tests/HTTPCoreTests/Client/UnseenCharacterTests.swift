import Foundation
import Testing

@testable import HTTPCore

/// Errors and descriptions show foreign text without hidden characters.
@Suite struct UnseenCharacterTests {
    private static let text = "ok\u{200B}\u{202E}\u{2066}\u{FEFF}\u{AD}\u{61C}\u{200D}x"
    private static let shown = "ok\\u{200B}\\u{202E}\\u{2066}\\u{FEFF}\\u{00AD}\\u{061C}\\u{200D}x"

    private static func response(_ body: String, type: String = "text/plain") throws -> Response {
        Response(
            request: ErrorSample.request, status: .notFound, reason: text,
            headers: ["Content-Type": type, "Server": text], body: .init(body.utf8))
    }

    @Test func `errors show foreign text without hidden characters`() throws {
        let record = ErrorSample.record(.receiving, engine: Self.text)
        let errors: [HTTPError] = [
            .invalidRequest(InvalidRequest(.get("http://\(Self.text)"), Self.text)),
            .invalidRequest(InvalidRequest(.method(HTTPMethod(rawValue: Self.text), "x\(Self.text)"), "no")),
            .unsupported(Unsupported(Self.text, Self.text)),
            .resolution(ResolutionFailure(host: Self.text, record: record)),
            .connection(ConnectionFailure(.broken, mayHaveBeenProcessed: false, record: record)),
            .tls(TLSFailure(.wrongHost, record: record)),
            .protocolViolation(ProtocolViolation(Self.text, record: record)),
            .truncatedBody(TruncatedBody(.contentCoding(Self.text), received: 1, record: record)),
            .redirect(RedirectFailure(.badLocation(Self.text), status: .found, record: record)),
            .unacceptableStatus(try Self.response(Self.text)),
            .unacceptableStatus(try Self.response("{\"message\": \"\(Self.text)\"}", type: "application/json")),
            .decoding(DecodingFailure(response: try Self.response(Self.text), target: "T", reason: Self.text)),
        ]
        for error in errors {
            let text = "\(error)"
            #expect(text.unicodeScalars.allSatisfy { !ASCIITests.unseen.contains($0) }, "\(text)")
            #expect(text.contains(Self.shown), "\(text)")
        }
    }

    @Test func `a printed URL, request, field or cookie has no hidden characters`() throws {
        let problem = try #require(throws: URLProblem.self) { _ = try HTTPURL("http://a,\(Self.text)/") }
        let jar = CookieJar()
        jar.store(["\(Self.text)=1; Path=/\(Self.text)"], from: try HTTPURL("http://h/"))
        let texts = [
            "\(problem)", "\(MutableRequest.get("a b\(Self.text)"))", "\(RequestPath(spelled: "x\(Self.text)"))",
            "\(HTTPHeaders.Field(name: "Server", value: Self.text))", "\(try Self.response(""))",
            "\(try #require(jar.cookies.first))", "\(Proxy(host: Self.text, port: 1))",
        ]
        for text in texts {
            #expect(text.unicodeScalars.allSatisfy { !ASCIITests.unseen.contains($0) }, "\(text)")
            #expect(text.contains(Self.shown), "\(text)")
        }
        let error = try #require(throws: HTTPError.self) {
            _ = try Request(.get("http://h/") |> .header(Self.text, "a"))
        }
        #expect("\(error)".contains(Self.shown), "\(error)")
    }

    @Test func `a curl command has no hidden characters`() throws {
        let request = try Request(.get("http://h/") |> .header("User-Agent", Self.text))
        let command = request.curlCommand()
        #expect(command.unicodeScalars.allSatisfy { !ASCIITests.unseen.contains($0) }, "\(command)")
        #expect(command.contains("--header \"$(printf 'User-Agent: ok\\342\\200\\213"), "\(command)")
    }
}
