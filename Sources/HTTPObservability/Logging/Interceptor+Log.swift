@_exported public import HTTPCore
import HTTPSupport

extension Interceptor {
    /// Logs every call when it is over, in one line by default.
    ///
    ///     client.intercepted(by: .log { print($0) })
    ///     client.intercepted(by: .log(.bodies(upTo: 500)) { line in logger.debug("\(line)") })
    ///
    /// The line is made from the call's metrics and `Response.cacheStatus`: waits, including those for a dispatcher,
    /// bytes, attempts, and how a cache handled it. Each call is logged as one text, whatever the number of lines, so
    /// that texts of other threads do not come in between.
    ///
    /// A call whose reader has left its loop is `left`, and not failed.
    ///
    /// Secrets are masked: header values unless they are on an allow-list, query values by their names, and a whole
    /// body if any shown part of it looks like a secret. The closure runs on the thread of the call, so it may run on
    /// several threads at once. Awaited calls share their thread with others: keep it short. Listed after `.retry()`
    /// it sees each attempt, listed before it each call.
    ///
    /// - Parameters:
    ///   - level: How much of each call is logged.
    ///   - headers: Further header fields whose values are shown, from the level `.headers` on: `["X-Shard"]`.
    ///   - isRevealing: Whether the values of all header fields are shown there, secrets among them: for debugging, not for
    ///     a log that is kept. URLs and bodies stay masked.
    ///   - sink: Receives the text of each call.
    public static func log(
        _ level: LogLevel = .line, showing headers: Set<String> = [], revealingHeaders isRevealing: Bool = false,
        to sink: @escaping @Sendable (String) -> Void
    ) -> Interceptor {
        let shown = isRevealing ? nil : Set(headers.map(ASCII.lowercased))
        return Interceptor(LogPolicy(log: Log(level: level, shownHeaders: shown, sink: sink)))
    }
}

/// Its settings, in one object: see `CallPolicy`.
private final class Log: Sendable {
    let level: LogLevel
    /// In lower case; nil for all.
    let shownHeaders: Set<String>?
    let sink: @Sendable (String) -> Void

    init(level: LogLevel, shownHeaders: Set<String>?, sink: @escaping @Sendable (String) -> Void) {
        (self.level, self.shownHeaders, self.sink) = (level, shownHeaders, sink)
    }
}

private struct LogPolicy: PassingPolicy, ForeseeablePolicy {
    let log: Log

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        let time = moment.startTime.span(to: moment.time)
        let entry = LogEntry(
            request: moment.request, outcome: outcome, time: time, shownHeaders: log.shownHeaders,
            isLeft: moment.request.isLeft)
        log.sink(entry.text(log.level))
        return outcome
    }
}
