/// The age of a response and its freshness lifetime (RFC 9111 §4.2). Times are seconds since 1970.
struct Freshness: Sendable, Hashable {
    /// The freshness lifetime, in seconds.
    let lifetime: Double
    /// Whether the server set the lifetime; if not, it is a heuristic.
    let isExplicit: Bool
    /// The age on arrival, in seconds (§4.2.3, corrected_initial_age).
    let initialAge: Double
    let responseTime: Double

    /// The maximum heuristic lifetime, in seconds.
    static let longestGuess: Double = 86_400
    /// A clock set back by at most this many seconds was merely corrected.
    private static let clockTolerance: Double = 60

    /// The age in seconds. Nil if the response is from the future because the clock was set back: its age is unknown.
    func age(at now: Double) -> Double? {
        let resident = now - responseTime
        guard resident > -Self.clockTolerance else { return nil }
        return initialAge + max(0, resident)
    }

    /// How many seconds it stays fresh from now on. Negative if it is stale, minus infinity if its age is unknown.
    func timeLeft(at now: Double) -> Double { age(at: now).map { lifetime - $0 } ?? -.infinity }

    init(_ headers: HTTPHeaders, _ control: CacheControl, status: HTTPStatus, requestTime: Double, responseTime: Double)
    {
        let date = headers["Date"].flatMap { HTTPDate(forgiving: $0, now: responseTime) }.map { Double($0.unixTime) }
        self.responseTime = responseTime
        initialAge = max(
            max(0, responseTime - (date ?? responseTime)),
            Self.age(headers) + max(0, responseTime - requestTime))
        if let maxAge = control.maxAge {
            (lifetime, isExplicit) = (Double(maxAge), true)
        } else if headers.contains("Expires") {
            (lifetime, isExplicit) = (Self.expiry(headers, responseTime) - (date ?? responseTime), true)
        } else {
            (lifetime, isExplicit) = (Self.guess(headers, control, status, date ?? responseTime), false)
        }
    }

    /// The value of the first Age field (§5.1); zero if it is not a number.
    private static func age(_ headers: HTTPHeaders) -> Double {
        guard let first = headers["Age"]?.split(separator: ",", omittingEmptySubsequences: false).first else {
            return 0
        }
        return CacheControl.seconds(ASCII.trimmed(first)).map(Double.init) ?? 0
    }

    /// The earliest of several Expires dates. An invalid date has passed (§5.3).
    private static func expiry(_ headers: HTTPHeaders, _ now: Double) -> Double {
        headers.values(for: "Expires").map {
            HTTPDate(forgiving: $0, now: now).map { Double($0.unixTime) } ?? -.infinity
        }
        .min() ?? -.infinity
    }

    /// A tenth of the time since the last modification (§4.2.2); zero for a status that is not heuristically cacheable.
    private static func guess(
        _ headers: HTTPHeaders, _ control: CacheControl, _ status: HTTPStatus, _ date: Double
    ) -> Double {
        guard control.isPublic || isHeuristicallyCacheable(status),
            let modified = headers["Last-Modified"].flatMap({ HTTPDate(forgiving: $0, now: date) })
        else { return 0 }
        return min(max(0, (date - Double(modified.unixTime)) / 10), longestGuess)
    }

    /// RFC 9110 §15.1.
    static func isHeuristicallyCacheable(_ status: HTTPStatus) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status.rawValue)
    }
}
