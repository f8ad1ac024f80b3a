public import HTTPCore
import HTTPObservability
public import Logging

extension Interceptor {
    /// Logs every call to swift-log when it is over: one message, with metadata.
    ///
    ///     let client = CurlTransport().intercepted(by: .log(to: logger), .retry())
    ///
    /// The metadata are `http.request.method`, `url.full` and `server.address` as in OpenTelemetry's conventions; where they
    /// are known `http.response.status_code`, `http.attempts`, `http.bytes_sent` and `http.bytes_received`; and
    /// `http.duration_ms`. A failure adds `error.type`. What the logger's metadata provider says is read where the call
    /// begins, so that it sees the caller's task-local values, such as a trace; the message is written on the thread of the
    /// call.
    ///
    /// Listed before `.retry()` it logs a call, after it each attempt. Secrets in URLs are masked, and no header field or
    /// body is logged. A call that was cancelled is no failure. A response is none either, whatever its status, unless
    /// something below has made an error of it.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - level: The level of a call that got a response, or was cancelled.
    ///   - failures: The level of a call that failed.
    public static func log(
        to logger: Logger, level: Logger.Level = .info, failures: Logger.Level = .warning
    ) -> Interceptor {
        log(using: { logger }, level: level, failures: failures)
    }

    /// The same with a logger that each call asks for, where it begins.
    ///
    ///     let client = CurlTransport().intercepted(by: .log(using: { Logger.current }))   // that of the caller's task
    ///
    /// - Parameters:
    ///   - logger: Gives the logger, with the task-local values of the caller.
    ///   - level: The level of a call that got a response, or was cancelled.
    ///   - failures: The level of a call that failed.
    public static func log(
        using logger: @escaping @Sendable () -> Logger, level: Logger.Level = .info, failures: Logger.Level = .warning
    ) -> Interceptor {
        Interceptor(LoggerPolicy(settings: LoggerSettings(logger: logger, level: level, failures: failures)))
    }
}

/// In one object: a policy is copied for each call.
private final class LoggerSettings: Sendable {
    let logger: @Sendable () -> Logger
    let level: Logger.Level
    let failures: Logger.Level

    init(logger: @escaping @Sendable () -> Logger, level: Logger.Level, failures: Logger.Level) {
        (self.logger, self.level, self.failures) = (logger, level, failures)
    }
}

private struct LoggerPolicy: PreparedPolicy, PassingPolicy {
    let settings: LoggerSettings
    private var caller: (logger: Logger, metadata: Logger.Metadata)?

    init(settings: LoggerSettings) { self.settings = settings }

    mutating func prepare() {
        let logger = settings.logger()
        guard logger.logLevel <= max(settings.level, settings.failures) else { return }
        caller = (logger, logger.metadataProvider?.get() ?? [:])
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        guard let caller else { return outcome }
        let level = outcome.isFailure ? settings.failures : settings.level
        // `log` evaluates neither the message nor the metadata below the logger's level.
        caller.logger.log(
            level: level, outcome.message(for: moment.request),
            metadata: outcome.metadata(in: moment, beside: caller.metadata), source: "HTTPLogging")
        return outcome
    }
}

extension Result<Response, HTTPError> {
    /// Whether somebody may want to look into it: a caller that has cancelled knows.
    fileprivate var isFailure: Bool {
        switch self {
        case .success, .failure(.cancelled): false
        case .failure: true
        }
    }

    fileprivate func message(for request: Request) -> Logger.Message {
        switch self {
        case .success(let response): "\(request.method) \(request.url) → \(response.status.rawValue)"
        case .failure(let error): "\(error)"
        }
    }

    fileprivate func metadata(in moment: PolicyMoment, beside given: Logger.Metadata) -> Logger.Metadata {
        var metadata = given
        metadata.reserveCapacity(given.count + 9)
        metadata["http.request.method"] = "\(moment.request.method)"
        metadata["url.full"] = "\(moment.request.url)"
        // An IPv6 address without its brackets.
        metadata["server.address"] = "\(moment.request.url.host.filter { !"[]".contains($0) })"
        metadata["http.duration_ms"] = "\(Int64(moment.start.duration(to: moment.now) / .milliseconds(1)))"
        let metrics: Metrics?
        switch self {
        case .success(let response):
            metrics = response.metrics
            metadata["http.response.status_code"] = "\(response.status.rawValue)"
        case .failure(let error):
            metrics = error.record?.metrics ?? error.response?.metrics
            metadata["http.response.status_code"] = error.status.map { "\($0.rawValue)" }
            metadata["error.type"] = "\(error.name)"
        }
        guard let metrics else { return metadata }
        metadata["http.attempts"] = "\(metrics.attemptCount)"
        metadata["http.bytes_sent"] = "\(metrics.bytesSent)"
        metadata["http.bytes_received"] = "\(metrics.bytesReceived)"
        return metadata
    }
}
