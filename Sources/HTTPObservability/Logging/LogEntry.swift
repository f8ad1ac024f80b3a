import HTTPFoundation
import HTTPSupport

/// The log text of a call, without secrets and control characters.
struct LogEntry {
    let request: Request
    let outcome: Result<Response, HTTPError>
    /// The duration as seen from the log's place among the interceptors, including closures.
    let time: TimeSpan
    /// Further header fields, in lower case, whose values are shown; nil for all.
    var shownHeaders: Set<String>? = []
    /// Whether its reader left before the end of the body.
    var isLeft = false

    func text(_ level: LogLevel) -> String {
        switch level {
        case .line: line
        case .headers: ([line] + fields(limit: nil)).joined(separator: "\n")
        case .bodies(let limit): ([line] + fields(limit: max(limit, 0))).joined(separator: "\n")
        }
    }

    /// `GET https://host/path → 200 in 212 ms, 200 ms of it waiting, 310 bytes sent, 1204 bytes received, 2 attempts`,
    /// with `cache hit` and the like where there is a cache.
    ///
    /// It is written into one buffer: a string that grows piece by piece takes more than twice as long.
    var line: String {
        switch outcome {
        case .success(let response): line(response, isLeft ? ", left" : "")
        case .failure(.cancelled(let record)) where isLeft:
            line(nil, " left", (record?.metrics).map { Metrics.Figures($0) }, "")
        case .failure(.unacceptableStatus(let response)): line(response, ", refused,")
        case .failure(let error):
            line(nil, " failed", (error.record?.metrics).map { Metrics.Figures($0) }, ": \(error.reason)")
        }
    }

    private func line(_ response: Response, _ verdict: String) -> String {
        let figures = response.figures
        // The text of an error includes it.
        var end = response.cacheStatus.map { ", cache \($0.summary)" } ?? ""
        if figures.isRetryRefused { end += ", retry refused by the budget" }
        if figures.isRefreshRefused { end += ", token refresh refused by its window" }
        return line(response.status, verdict, figures, end)
    }

    private func line(_ status: HTTPStatus?, _ verdict: String, _ figures: Metrics.Figures?, _ end: String) -> String {
        let (method, url, time) = (request.method.rawValue, request.url, time)
        let shownURL = url.changedDescription
        let longest = method.utf8.count + (shownURL?.utf8.count ?? url.longestText) + end.utf8.count + 200
        return ByteWriter.string(longest: longest) { writer in
            writer.append(method)
            writer.append(" ")
            if let shownURL { writer.append(shownURL) } else { url.write(to: &writer) }
            if let status {
                writer.append(" → ")
                writer.append(Int64(status.rawValue))
            }
            writer.append(verdict)
            writer.append(" in ")
            Self.write(time, to: &writer)
            if let figures { Self.write(figures, to: &writer) }
            writer.append(end)
        }
    }

    /// Rounded to milliseconds.
    private static func write(_ time: TimeSpan, to writer: inout ByteWriter) {
        let milliseconds = time.nanoseconds / 1_000_000
        guard milliseconds >= 1 else { return writer.append("under 1 ms") }
        guard milliseconds < 1000 else { return writer.append(Duration.milliseconds(milliseconds).text) }
        writer.append(milliseconds)
        writer.append(" ms")
    }

    private static func write(_ figures: Metrics.Figures, to writer: inout ByteWriter) {
        if figures.waited >= .microseconds(1000) {
            writer.append(", ")
            write(figures.waited, to: &writer)
            writer.append(" of it waiting")
        }
        write(figures.bytesSent, " bytes sent", atLeast: 1, to: &writer)
        write(figures.bytesReceived, " bytes received", atLeast: 1, to: &writer)
        write(Int64(figures.attemptCount), " attempts", atLeast: 2, to: &writer)
    }

    private static func write(_ number: Int64, _ unit: String, atLeast least: Int64, to writer: inout ByteWriter) {
        guard number >= least else { return }
        writer.append(", ")
        writer.append(number)
        writer.append(unit)
    }

    /// - Parameter limit: The most bytes of each body; nil to leave them out.
    private func fields(limit: Int?) -> [String] {
        var lines = request.headers.map { "> " + $0.line(showing: shownHeaders) }
        if let limit, case .data(let data) = request.body.content {
            lines.append("> " + LoggedBody(data, type: request.headers["Content-Type"]).start(limit))
        }
        guard let response = outcome.answer else { return lines }
        lines += response.headers.map { "< " + $0.line(showing: shownHeaders) }
        if let limit, !response.body.isEmpty {
            lines.append("< " + LoggedBody(response.body, type: response.headers["Content-Type"]).start(limit))
        }
        return lines
    }
}
