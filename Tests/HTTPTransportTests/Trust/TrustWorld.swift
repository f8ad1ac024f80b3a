import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import HTTPURLSession
import Synchronization

/// Two origins, and a client that reaches both: `home` belongs to the service that a program uses, and `foreign` to
/// somebody whom home leads to.
final class TrustWorld: Sendable {
    enum Engine: Sendable, CaseIterable { case stub, curl, urlSession }

    let home: String
    let foreign: String
    let client: any HTTPClient
    private let servers: [MockServer]
    private let log: SharedLog

    /// A request that arrived at the foreign origin.
    struct Visit: Sendable {
        let names: [String]
        /// All of it.
        let text: String
    }

    private final class SharedLog: Sendable {
        let visits = Mutex<[Visit]>([])
    }

    private struct Answer {
        let status: HTTPStatus
        var headers: HTTPHeaders = [:]
        var body = ""
    }

    init(_ engine: Engine) throws {
        let log = SharedLog()
        self.log = log
        if engine == .stub {
            (home, foreign, servers) = ("http://home.test", "http://foreign.test", [])
            client = StubClient().on("**") { [foreign] call in
                let isHome = call.url.host == "home.test"
                let answer =
                    isHome
                    ? Self.home(call.url.target, call.headers, leadingTo: foreign)
                    : Self.foreign(call.url.target, call.headers, log)
                return .response(
                    Response(
                        request: call.request, status: answer.status, headers: answer.headers,
                        body: Data(answer.body.utf8)))
            }
            return
        }
        let other = try MockServer(recording: .none) { Self.response(Self.foreign($0.target, $0.headers, log)) }
        foreign = "http://localhost:\(other.port)"
        let own = try MockServer(recording: .none) { [foreign] in
            Self.response(Self.home($0.target, $0.headers, leadingTo: foreign))
        }
        (home, servers) = (own.url, [own, other])
        client = engine == .curl ? try CurlTransport.plain() : URLSessionTransport()
    }

    private static func response(_ answer: Answer) -> MockResponse {
        var response = MockResponse.text(answer.body, status: answer.status)
        for field in answer.headers { response = response.header(field.name, field.value) }
        return response
    }

    /// The requests that the foreign origin has received since the last time.
    func takeVisits() -> [Visit] {
        log.visits.withLock { visits in
            defer { visits = [] }
            return visits
        }
    }

    // MARK: What the two answer

    private static let vary = "Authorization, X-Api-Key, X-Own-Key, Signature, Cookie"

    /// A page shows the request that it answers.
    private static func home(_ target: String, _ headers: HTTPHeaders, leadingTo foreign: String) -> Answer {
        if target.hasPrefix("/digest"), headers["Authorization"] == nil {
            return Answer(status: .unauthorized, headers: ["WWW-Authenticate": digest("home")])
        }
        let kept: HTTPHeaders = ["Cache-Control": "max-age=600", "Vary": vary, "ETag": "\"1\""]
        func redirect(_ location: String) -> Answer {
            var headers = kept
            headers.set(location, for: "Location")
            return Answer(status: .found, headers: headers)
        }
        if target.contains("/hop") { return redirect("away") }
        if target.contains("/away") { return redirect(foreign + "/landing?from=home") }
        return Answer(status: .ok, headers: kept, body: text(target, headers))
    }

    private static func foreign(_ target: String, _ headers: HTTPHeaders, _ log: SharedLog) -> Answer {
        log.visits.withLock { $0.append(Visit(names: headers.map(\.name), text: text(target, headers))) }
        guard target.hasPrefix("/landing") else {
            return Answer(
                status: .unauthorized,
                headers: ["WWW-Authenticate": "Bearer realm=\"foreign\", \(digest("foreign"))", "ETag": "\"2\""])
        }
        return Answer(status: .found, headers: ["Location": "/guarded", "Cache-Control": "max-age=0", "ETag": "\"3\""])
    }

    private static func digest(_ realm: String) -> String {
        "Digest realm=\"\(realm)\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
    }

    private static func text(_ target: String, _ headers: HTTPHeaders) -> String {
        headers.reduce(target) { "\($0)\n\($1.name): \($1.value)" }
    }
}

extension EntryStyle {
    /// The result of a call.
    func result(of request: Request, over client: any HTTPClient, beside neighbor: Request) async
        -> Result<Response, HTTPError>
    {
        await withCheckedContinuation { continuation in
            _ = begin(
                request, over: client, beside: neighbor, receive: { continuation.resume(returning: $0) },
                receiveNeighbor: { _ in })
        }
    }
}
