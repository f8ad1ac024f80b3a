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

    func text(_ level: LogLevel) -> String {
        ([line] + details(level)).joined(separator: "\n")
    }

    /// `GET https://host/path → 200 in 12 ms, 310 bytes sent, 1204 received, 2 attempts`
    var line: String {
        switch outcome {
        case .success(let response):
            "\(request) → \(response.status) in \(shownTime)\(figures(response.metrics))\(retryNote(response))"
        case .failure(.unacceptableStatus(let response)):
            "\(request) → \(response.status), refused, in \(shownTime)\(figures(response.metrics))"
                + retryNote(response)
        case .failure(let error):
            "\(request) failed in \(shownTime)\(figures(error.record?.metrics)): \(ASCII.printable(error.description))"
        }
    }

    /// Milliseconds are exact enough.
    private var shownTime: String {
        let milliseconds = (time.components.attoseconds / 1_000_000_000_000_000) + time.components.seconds * 1000
        return milliseconds > 0 ? Duration.milliseconds(milliseconds).text : "under 1 ms"
    }

    private func figures(_ metrics: Metrics?) -> String {
        guard let metrics else { return "" }
        var parts: [String] = []
        if metrics.bytesSent > 0 { parts.append("\(metrics.bytesSent) bytes sent") }
        if metrics.bytesReceived > 0 { parts.append("\(metrics.bytesReceived) bytes received") }
        if metrics.attempts > 1 { parts.append("\(metrics.attempts) attempts") }
        return parts.map { ", " + $0 }.joined()
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
        var lines = request.headers.map { "> " + ASCII.printable($0.description) }
        if let limit, case .data(let data) = request.body.content {
            lines.append("> " + LoggedBody(data, type: request.headers["Content-Type"]).start(limit))
        }
        guard let response else { return lines }
        lines += response.headers.map { "< " + ASCII.printable($0.description) }
        if let limit, !response.body.isEmpty {
            lines.append("< " + LoggedBody(response.body, type: response.headers["Content-Type"]).start(limit))
        }
        return lines
    }
}
