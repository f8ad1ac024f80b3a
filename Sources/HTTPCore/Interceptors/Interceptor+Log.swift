extension Interceptor {
    /// Logs every call when it is over, by default as one line.
    ///
    ///     client.intercepted(by: .log { print($0) })
    ///     client.intercepted(by: .log(.bodies(upTo: 500)) { line in logger.debug("\(line)") })
    ///
    /// The line is made from the call's metrics and `Response.cacheStatus`: what it waited for, dispatchers included, bytes,
    /// attempts, and what a cache had to do with it. A call is one text, however many lines its level makes of it, so texts of calls on other threads do not come in
    /// between. Secrets are masked: header values unless on an allow-list, query values by their names, and bodies as a
    /// whole where anything in their shown part sounds like a secret. The closure runs on the thread of the call, on
    /// several at once if several call, and for awaited calls on one that makes others', too: keep it short. Listed
    /// behind `.retry()` it sees each attempt, before it each call.
    ///
    /// - Parameters:
    ///   - level: How much of each call is logged.
    ///   - headers: More header fields whose values are no secrets: `["X-Shard"]`.
    ///   - sink: Gets the text of each call.
    public static func log(
        _ level: LogLevel = .line, showing headers: Set<String> = [], to sink: @escaping @Sendable (String) -> Void
    ) -> Interceptor {
        Interceptor(LogPolicy(log: Log(level: level, shownHeaders: Set(headers.map(ASCII.lowercased)), sink: sink)))
    }
}

/// Its settings. An object: a policy is copied for each call, and one of more than three words takes memory for that.
private final class Log: Sendable {
    let level: LogLevel
    let shownHeaders: Set<String>
    let sink: @Sendable (String) -> Void

    init(level: LogLevel, shownHeaders: Set<String>, sink: @escaping @Sendable (String) -> Void) {
        (self.level, self.shownHeaders, self.sink) = (level, shownHeaders, sink)
    }
}

private struct LogPolicy: PassingPolicy {
    let log: Log

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        let time = moment.startTime.duration(to: moment.time)
        let entry = LogEntry(request: moment.request, outcome: outcome, time: time, shownHeaders: log.shownHeaders)
        log.sink(entry.text(log.level))
        return outcome
    }
}
