import Foundation
import HTTPCore
import HTTPTesting
import Testing

/// docs/error-sentences.txt contains the actual texts of errors, for review as a list. With STRAIGHTLINE_UPDATE=1 in
/// the environment the test writes it.
@Suite struct ErrorSentenceTests {
    private static let file = URL(filePath: #filePath)
        .appending(path: "../../../../docs/error-sentences.txt").standardized
    private static let url = "https://api.example.com/issues"

    private static let connections: [ConnectionFailure.Reason] = [
        .refused, .unreachable, .closedBeforeResponse, .broken, .proxy, .outOfDescriptors, .tooManyRequests,
        .unprocessed, .other,
    ]
    private static let handshakes: [TLSFailure.Reason] = [
        .untrusted, .expired, .notYetValid, .revoked, .wrongHost, .wrongPin, .clientCertificate,
        .badConfiguration, .handshake,
    ]
    private static let redirects: [RedirectFailure.Reason] = [
        .tooMany(limit: 10), .cycle(visits: 3), .insecure, .badLocation("contains a space"), .bodyNotReplayable,
        .refusedByPolicy("it leads to a host that is not ours"),
    ]
    private static let bodies: [BodyFailure.Reason] = [
        .unreadableFile, .changedFile(expected: 10, actual: 11), .source, .sourceTooShort(expected: 10, actual: 9),
        .sourceTooLong(expected: 10, atLeast: 11), .trailers, .notReplayable, .sink, .unwritableFile, .diskFull,
        .wrongChecksum(expected: "e3b0c44298fc1c14", actual: "9f86d081884c7d65"),
    ]
    private static let truncations: [TruncatedBody.Reason] = [
        .contentLength(expected: 1000), .chunked, .contentCoding("gzip"), .missingCloseNotify,
    ]

    private static let failures: [StubFailure] =
        StubFailure.all + connections.map { .connection($0) } + handshakes.map { .tls($0) }
        + redirects.map { .redirect($0) } + bodies.map { .body($0, path: "image.iso") }
        + truncations.map { .truncatedBody($0) } + [.limitExceeded(.header), .limitExceeded(.expansion)]
        + [.interceptor(.tokenRefresh, throws: CancellationError())]
        + PolicyFault.Kind.allCases.map { kind in .other { PolicyFault(kind, policy: "Stubbed", record: $0) } }

    private struct Issues: RequestGenerator { let baseURL = url }

    private static let drafts: [MutableRequest] = [
        .get("https://exa mple/"), .get("ftp://example.com/"), .get("/issues"), .request("G T", url),
        .request("CONNECT", url),
        .get(url) |> .header("X Y", "1"), .get(url) |> .header("X", "1\r\nY: 2"), .get(url) |> .header("X", " 1"),
        .get(url) |> .header("Transfer-Encoding", "chunked"), .post(url) |> .header("Content-Length", "7"),
        .head(url) |> .text("x"), .get(url) |> .timeout(.zero), .get(url) |> .bodyLimit(-1),
        .get(url) |> .expansionLimit(0),
        Issues().get("orders/\("..")"), Issues().get("/orders?token=secret"), .get(url) |> .idempotencyKey(""),
    ]

    private static var sentences: String {
        let failed = failures.map { failure -> String in
            guard case .failure(let error) = StubClient.failing(failure).executeRequest(.get(url)).validated() else {
                return "\(failure): no error"
            }
            return "\(failure)\n    \(error)"
        }
        let refused = drafts.map { draft -> String in
            do { return "accepted\n    \(try Request(draft))" } catch { return "invalidRequest\n    \(error)" }
        }
        var seen: Set<String> = []
        return (failed + refused).filter { seen.insert($0).inserted }.joined(separator: "\n") + "\n"
    }

    @Test func `the list of error sentences contains the actual texts`() throws {
        if ProcessInfo.processInfo.environment["STRAIGHTLINE_UPDATE"] != nil {
            try Data(Self.sentences.utf8).write(to: Self.file)
        }
        let listed = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(
            listed == Self.sentences, "STRAIGHTLINE_UPDATE=1 swift test --filter ErrorSentenceTests writes the list")
    }

    @Test func `no sentence ends with a full stop, and no bad draft is accepted`() throws {
        let lines = Self.sentences.split(separator: "\n").filter { $0.hasPrefix("    ") }
        #expect(lines.count > 40)
        #expect(!Self.sentences.contains("accepted\n") && !Self.sentences.contains("no error"))
        #expect(lines.allSatisfy { !$0.hasSuffix(".") })
    }
}
