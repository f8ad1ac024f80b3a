/// How old a response is, and how long it stays fresh (RFC 9111 §4.2). Times are seconds since 1970.
struct Freshness: Sendable, Hashable {
    /// For how long it is fresh, in seconds.
    let lifetime: Double
    /// Whether the server said so; else it is a guess of ours.
    let isExplicit: Bool
    /// How old it was when it came (§4.2.3, corrected_initial_age).
    let initialAge: Double
    let responseTime: Double

    /// A guess is never longer, whatever the age of what was modified.
    static let longestGuess: Double = 86_400
    /// A clock that was set back by less has not run backwards: clocks are corrected.
    private static let clockTolerance: Double = 60

    /// In seconds. Nil if the response is from the future, because the clock was set back: its age is unknown.
    func age(at now: Double) -> Double? {
        let resident = now - responseTime
        guard resident > -Self.clockTolerance else { return nil }
        return initialAge + max(0, resident)
    }

    /// How many seconds it is fresh for from now on; negative for one that is stale. Of unknown age, it is as stale as can be.
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

    /// That of the first Age field (§5.1); zero where it is no number.
    private static func age(_ headers: HTTPHeaders) -> Double {
        guard let first = headers["Age"]?.split(separator: ",", omittingEmptySubsequences: false).first else {
            return 0
        }
        return CacheControl.seconds(ASCII.trimmed(first)).map(Double.init) ?? 0
    }

    /// The earliest of several; what is no date has passed (§5.3).
    private static func expiry(_ headers: HTTPHeaders, _ now: Double) -> Double {
        headers.values(for: "Expires").map {
            HTTPDate(forgiving: $0, now: now).map { Double($0.unixTime) } ?? -.infinity
        }
        .min() ?? -.infinity
    }

    /// A tenth of the time since it was modified (§4.2.2); none for a status that says nothing of how long it holds.
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
        switch status.rawValue {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}
