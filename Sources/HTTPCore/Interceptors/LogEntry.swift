#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a log says about a call: text from what is known, with nothing secret in it and no control character.
struct LogEntry {
    let request: Request
    let outcome: Result<Response, HTTPError>
    let time: Duration
    /// What of that was spent waiting, and not in exchanges.
    let waited: Duration
    /// Header fields, in lower case, whose values are shown although they are on no list of harmless ones.
    var shownHeaders: Set<String> = []

    func text(_ level: LogLevel) -> String {
        ([line] + details(level)).joined(separator: "\n")
    }

    /// `GET https://host/path → 200 in 212 ms, 200 ms of it waiting, 310 bytes sent, 1204 bytes received, 2 attempts`
    var line: String {
        switch outcome {
        case .success(let response):
            "\(request) → \(response.status) in \(shownTime)\(figures(response.metrics))\(retryNote(response))"
        case .failure(.unacceptableStatus(let response)):
            "\(request) → \(response.status), refused, in \(shownTime)\(figures(response.metrics))"
                + retryNote(response)
        case .failure(let error):
            "\(request) failed in \(shownTime)\(figures(error.record?.metrics)): \(error.reason)"
        }
    }

    private var shownTime: String {
        let wait = Self.milliseconds(waited)
        return Self.shown(Self.milliseconds(time)) + (wait > 0 ? ", \(Self.shown(wait)) of it waiting" : "")
    }

    /// Milliseconds are exact enough.
    private static func shown(_ milliseconds: Int64) -> String {
        milliseconds > 0 ? Duration.milliseconds(milliseconds).text : "under 1 ms"
    }

    private static func milliseconds(_ time: Duration) -> Int64 {
        time.components.attoseconds / 1_000_000_000_000_000 + time.components.seconds * 1000
    }

    private func figures(_ metrics: Metrics?) -> String {
        guard let metrics else { return "" }
        var text = ""
        if metrics.bytesSent > 0 { text += ", \(metrics.bytesSent) bytes sent" }
        if metrics.bytesReceived > 0 { text += ", \(metrics.bytesReceived) bytes received" }
        if metrics.attempts > 1 { text += ", \(metrics.attempts) attempts" }
        return text
    }

    /// An error says it by itself.
    private func retryNote(_ response: Response) -> String {
        response.metrics.isRetryRefused ? ", retry refused by the budget" : ""
    }

    private func details(_ level: LogLevel) -> [String] {
        switch level {
        case .line: return []
        case .headers: return fields(limit: nil)
        case .bodies(let limit): return fields(limit: max(limit, 0))
        }
    }

    private func fields(limit: Int?) -> [String] {
        let response = (try? outcome.get()) ?? outcome.answer
        var lines = request.headers.map { "> " + $0.line(showing: shownHeaders) }
        if let limit, case .data(let data) = request.body.content {
            lines.append("> " + LoggedBody(data, type: request.headers["Content-Type"]).start(limit))
        }
        guard let response else { return lines }
        lines += response.headers.map { "< " + $0.line(showing: shownHeaders) }
        if let limit, !response.body.isEmpty {
            lines.append("< " + LoggedBody(response.body, type: response.headers["Content-Type"]).start(limit))
        }
        return lines
    }
}
