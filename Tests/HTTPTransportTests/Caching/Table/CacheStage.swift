import HTTPCaching
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Plays a case against a cache in front of a real transport and a real server.
struct CacheStage {
    /// One for all cases, each of which has a server of its own.
    private static let transport = Result { try CurlTransport.plain() }

    private let server: MockServer
    private let time = SimulatedTime()
    private let client: any HTTPClient
    private let start: Double
    private let isSimulated: Bool

    /// - Parameter isSimulated: Whether time passes only where a case says so; if not, by the system's clock.
    init(_ cache: HTTPCache, isSimulated: Bool = true) throws {
        server = try MockServer()
        let transport = try Self.transport.get()
        let timed: any HTTPClient = isSimulated ? time.around(transport) : transport
        client = timed.intercepted(by: .cache(cache))
        start = isSimulated ? 784_111_777 : Date().timeIntervalSince1970.rounded(.down)
        self.isSimulated = isSimulated
    }

    func play(_ play: CacheCase) throws {
        for (number, step) in play.steps.enumerated() {
            let request = try prepare(step, number)
            let before = server.requestCount
            check(client.executeRequest(request), step, number, since: before, play)
        }
    }

    func playAwaited(_ play: CacheCase) async throws {
        for (number, step) in play.steps.enumerated() {
            let request = try prepare(step, number)
            let before = server.requestCount
            check(await outcome(of: request), step, number, since: before, play)
        }
    }

    private func outcome(of request: Request) async -> Result<Response, HTTPError> {
        do throws(HTTPError) { return .success(try await client.send(request)) } catch { return .failure(error) }
    }

    private func prepare(_ step: CacheStep, _ number: Int) throws -> Request {
        if step.isOffline { server.stop() }
        for answer in step.answers { server.enqueue(response(answer, number)) }
        time.advance(by: .seconds(step.after))
        return try Request(
            MutableRequest(step.method, server.url("/case\(step.path)")) |> .headers(dated(step.fields)))
    }

    private func response(_ answer: CacheAnswer, _ number: Int) -> MockResponse {
        let body = Array((answer.body ?? "\(number)").utf8)
        var response = MockResponse(status: answer.status, headers: dated(answer.headers), body: body)
        if answer.isChunked { response.framing = .chunked(sizes: [1]) }
        if answer.endsConnection { response.framing = .untilClose }
        if answer.isCut { response = response.failing(.close(.midBody(after: body.count - 1))) }
        return answer.hints.isEmpty
            ? response : response.preceded(by: MockResponse.Interim(103, headers: answer.hints))
    }

    private func check(
        _ outcome: Result<Response, HTTPError>, _ step: CacheStep, _ number: Int, since before: Int, _ play: CacheCase
    ) {
        let place = Comment(rawValue: "\(play.testDescription), step \(number)")
        let received = server.requests.dropFirst(before)
        #expect(received.map(\.method) == step.answers.map { _ in step.method }, place)
        #expect(server.queuedCount == 0, place)
        if let first = received.first {
            #expect(conditions(first.headers) == conditions(dated(step.conditions)), place)
        }
        switch (step.outcome, outcome) {
        case (.response(let status, let body), .success(let response)):
            #expect(response.status == status, place)
            let hasBody = step.method != .head && ![204, 304].contains(status.rawValue)
            #expect(String(decoding: response.body, as: UTF8.self) == (hasBody ? body ?? "\(number)" : ""), place)
            for (name, value) in step.shows {
                #expect(response.headers.combinedValue(for: name) == value.map(dated), "\(name): \(place)")
            }
            check(response.cacheStatus, step, place)
        case (.notCached, .failure(.other(is NotCached))): break
        case (.failure, .failure): break
        default: Issue.record("\(outcome): \(place)")
        }
    }

    private func check(_ status: CacheStatus?, _ step: CacheStep, _ place: Comment) {
        #expect(status?.isHit == (step.answers.isEmpty && !step.isOffline), place)
        if let reason = step.reason { #expect(status?.forward == reason, place) }
        if let isStored = step.isStored { #expect(status?.isStored == isStored, place) }
        if let report = step.report, isSimulated { #expect(status?.description == "straightline; \(report)", place) }
    }

    private func conditions(_ headers: HTTPHeaders) -> [String: String] {
        let names = [
            "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
        ]
        return Dictionary(uniqueKeysWithValues: names.compactMap { name in headers[name].map { (name, $0) } })
    }

    private func dated(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.name, value: dated($0.value)) })
    }

    /// The text with its `{…}` replaced.
    private func dated(_ text: String) -> String {
        guard let open = text.firstIndex(of: "{"), let close = text.firstIndex(of: "}") else { return text }
        let words = text[text.index(after: open)..<close].split(separator: " ")
        let date = CacheDate.text(start + (Double(words[0]) ?? 0), words.count > 1 ? String(words[1]) : "")
        return text[..<open] + date + text[text.index(after: close)...]
    }
}

/// The three forms of a date (RFC 9110 §5.6.7).
private enum CacheDate {
    static func text(_ time: Double, _ form: String) -> String {
        var (seconds, parts) = (time_t(time), tm())
        gmtime_r(&seconds, &parts)
        let format =
            switch form {
            case "rfc850": "%A, %d-%b-%y %H:%M:%S GMT"
            case "asctime": "%a %b %e %H:%M:%S %Y"
            default: "%a, %d %b %Y %H:%M:%S GMT"
            }
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
