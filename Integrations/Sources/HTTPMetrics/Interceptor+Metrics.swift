public import CoreMetrics
public import HTTPCore
import HTTPObservability
import Synchronization

extension Interceptor {
    /// Measures every call with swift-metrics.
    ///
    ///     let client = CurlTransport().intercepted(by: .metrics(), .retry())
    ///
    /// | label | kind | what it measures | dimensions |
    /// |---|---|---|---|
    /// | `http_client_calls_in_flight` | meter | calls that have begun and not ended | |
    /// | `http_client_call_duration` | timer | a call, with its waits and retries | `method`, `host`, `status`, `error` |
    /// | `http_client_exchange_duration` | timer | one request and its response | `method`, `host`, `status` |
    /// | `http_client_wait_duration` | timer | a policy's wait, as for a rate limit | `cause` |
    /// | `http_client_bytes_sent`, `http_client_bytes_received` | counter | the bytes of an exchange | `host` |
    ///
    /// `status` is `none` without a response, and `error` is `none` without an error; its other values are those of
    /// `HTTPError.name`. Listed before `.retry()` it counts calls, after it each attempt as one. Paths are no dimension:
    /// there may be any number of them. A server that redirects can name any number of hosts, so the first 200 are told apart,
    /// and later ones are `other`; a method of the caller's own making is `_OTHER`.
    ///
    /// - Parameters:
    ///   - prefix: What all labels begin with.
    ///   - factory: Makes the metrics; nil for that of `MetricsSystem`, asked for when it is needed.
    public static func metrics(
        prefix: String = "http_client", factory: (any MetricsFactory)? = nil
    ) -> Interceptor {
        let metrics = ClientMetrics(prefix: prefix, factory: factory)
        return Interceptor([.activity { metrics.inFlight.set($0) }, .observing { metrics.record($0) }])
    }
}

/// The metrics by label and dimensions: each is made once.
private final class ClientMetrics: Sendable {
    private typealias Dimensions = [(String, String)]

    private static let mostHosts = 200
    private static let knownMethods: Set<HTTPMethod> = [
        .connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace,
    ]

    private let prefix: String
    private let chosenFactory: (any MetricsFactory)?
    private var factory: any MetricsFactory { chosenFactory ?? MetricsSystem.factory }
    private let timers = Instruments<Timer>()
    private let counters = Instruments<Counter>()
    private let meters = Instruments<Meter>()
    private let hosts = Mutex<Set<String>>([])

    init(prefix: String, factory: (any MetricsFactory)?) { (self.prefix, chosenFactory) = (prefix, factory) }

    func record(_ event: CallEvent) {
        switch event {
        case .attemptFinished(let attempt, _): record(attempt)
        case .waitFinished(let wait, _): record("wait", [("cause", "\(wait.cause)")], wait.duration)
        case .finished(let request, let outcome, let duration, _):
            record("call", dimensions(request.method, request.url.origin.authority, outcome), duration)
        case .started, .attemptStarted, .phaseFinished, .waitStarted: break
        @unknown default: break
        }
    }

    private func dimensions(
        _ method: HTTPMethod, _ host: String, _ outcome: Result<Response, HTTPError>
    ) -> Dimensions {
        let status: HTTPStatus?
        let error: String
        switch outcome {
        case .success(let response): (status, error) = (response.status, "none")
        case .failure(let failure): (status, error) = (failure.status, failure.name)
        }
        return [
            ("method", Self.text(method)), ("host", known(host)), ("status", Self.text(status)), ("error", error),
        ]
    }

    /// `host`, or `other` if there are too many.
    private func known(_ host: String) -> String {
        hosts.withLock { hosts in
            if hosts.count < Self.mostHosts { hosts.insert(host) }
            return hosts.contains(host) ? host : "other"
        }
    }

    private func record(_ attempt: CallAttempt) {
        let host = known(attempt.authority)
        record(
            "exchange",
            [("method", Self.text(attempt.method)), ("host", host), ("status", Self.text(attempt.status))],
            attempt.timings.complete)
        add(attempt.bytesSent, to: "bytes_sent", host)
        add(attempt.bytesReceived, to: "bytes_received", host)
    }

    private static func text(_ method: HTTPMethod) -> String {
        knownMethods.contains(method) ? method.rawValue : "_OTHER"
    }

    private static func text(_ status: HTTPStatus?) -> String { status.map { "\($0.rawValue)" } ?? "none" }

    private func record(_ what: String, _ dimensions: Dimensions, _ duration: Duration) {
        let label = "\(prefix)_\(what)_duration"
        let key = dimensions.reduce(into: label) { $0 += "\n" + $1.1 }
        let timer = timers.get(key) { Timer(label: label, dimensions: dimensions, factory: factory) }
        timer.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    private func add(_ bytes: Int64, to what: String, _ host: String) {
        let counter = counters.get(what + host) {
            Counter(label: "\(prefix)_\(what)", dimensions: [("host", host)], factory: factory)
        }
        counter.increment(by: bytes)
    }

    var inFlight: Meter {
        let label = "\(prefix)_calls_in_flight"
        return meters.get(label) { Meter(label: label, factory: factory) }
    }
}

/// Those of one kind. They are made outside the lock: a factory may call through the client that is measured.
private final class Instruments<Instrument: Sendable>: Sendable {
    private let made = Mutex<[String: Instrument]>([:])

    func get(_ key: String, _ make: () -> Instrument) -> Instrument {
        if let instrument = made.withLock({ $0[key] }) { return instrument }
        let new = make()
        return made.withLock { made in
            let instrument = made[key] ?? new
            made[key] = instrument
            return instrument
        }
    }
}
