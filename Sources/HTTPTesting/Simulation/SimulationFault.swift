/// What goes wrong in a simulated world, beside slow answers.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SimulationFault: String, Sendable, Hashable, CaseIterable {
    /// The connection is refused.
    case refused
    /// The connection is lost before the server has the request.
    case resetBeforeProcessing
    /// The server does what was asked, and the connection is lost before it answers.
    case resetAfterProcessing
    /// The server does what was asked, and its answer breaks off. An answer without a body is lost whole.
    case truncated
    /// 429 with or without Retry-After. The server does nothing else.
    case tooManyRequests
    /// 503 with or without Retry-After. The server does nothing else.
    case unavailable
    /// 504 of a gateway, while the server behind it does what was asked.
    case gatewayTimeout
    /// The body of the answer takes seconds to a minute, but never pauses for as long as the idle timeout.
    case slowDrip
    /// The server does what was asked, and does not answer within an hour.
    case silence
    /// The user of the client cancels, at any time: the token is cancelled, and the task that awaits.
    case cancellation

    /// Whether the server has done what the request asks.
    var isProcessed: Bool {
        switch self {
        case .refused, .resetBeforeProcessing, .tooManyRequests, .unavailable: false
        case .resetAfterProcessing, .truncated, .gatewayTimeout, .slowDrip, .silence, .cancellation: true
        }
    }
}

/// Where a fault of a world is.
enum FaultPlace: Sendable, Hashable {
    case exchange(Int)
    case cancellation(user: Int)
}

/// What happens to one exchange.
struct ExchangeFate: Sendable {
    /// Until the server has the request, and from then until the client has the first byte.
    var there: Duration
    var back: Duration
    /// From the first byte to the last.
    var body = Duration.zero
    var fault: SimulationFault?
    /// In seconds, of a 429 or 503.
    var retryAfter: Int?
}

/// What a seed makes of a world, less what was dropped from it.
struct WorldPlan: Sendable {
    let seed: UInt64
    /// The faults that remain of those of the seed; nil for all.
    var kept: Set<FaultPlace>?
    /// The largest number of users.
    var userLimit = Int.max
    /// Whether everything takes as long, and all users begin at once.
    var isPlain = false
    /// Whether what the server asks for and does takes a second at most.
    var isShort = false

    private let faults: [SimulationFault]
    private let rate: Double
    /// When the exchanges that go wrong begin and end, counted in exchanges: an outage, or all of them.
    private let outage: ClosedRange<Int>
    private let latency: SimulationLatency

    /// Each world has some kinds of faults and not others, and few or many of them: worlds with a bit of everything would
    /// all be alike.
    init(seed: UInt64, faults: Set<SimulationFault>, latency: SimulationLatency) {
        self.seed = seed
        self.latency = latency
        var numbers = SplitMix64(seed, .profile)
        rate = [0, 0.1, 0.3, 0.6, 1][numbers.index(5)]
        let start = numbers.isTrue(0.5) ? 1 : 1 + numbers.index(12)
        outage = numbers.isTrue(0.5) ? 1...Int.max : start...(start + 1 + numbers.index(12))
        let all = SimulationFault.allCases.filter(faults.contains)
        let share = [0.2, 0.5, 1][numbers.index(3)]
        let some = all.filter { _ in numbers.isTrue(share) }
        self.faults = some.isEmpty && !all.isEmpty ? [all[numbers.index(all.count)]] : some
    }

    /// What happens to the exchange of this number, from 1.
    func fate(ofExchange number: Int) -> ExchangeFate {
        var numbers = SplitMix64(seed, .exchange, number)
        let share = numbers.fraction()
        let time = max(latency.duration(number, isPlain ? 0.5 : share), .zero)
        let part = numbers.fraction()
        let there = isPlain ? time / 2 : time * part
        // The answer never comes at the instant at which the request arrives.
        var fate = ExchangeFate(there: there, back: max(time - there, .nanoseconds(1)))
        let kinds = faults.filter { $0 != .cancellation }
        guard numbers.isTrue(rate), outage.contains(number), !kinds.isEmpty, isKept(.exchange(number)) else {
            return fate
        }
        let fault = kinds[numbers.index(kinds.count)]
        fate.fault = fault
        switch fault {
        case .tooManyRequests, .unavailable:
            let asked = numbers.isTrue(0.5) ? nil : [0, 1, 2, 5, 30, 120][numbers.index(6)]
            fate.retryAfter = isShort ? asked.map { min($0, 1) } : asked
        case .slowDrip: fate.body = .seconds(isShort ? 1 : 1 + numbers.index(60))
        case .silence: fate.back = .seconds(3600)
        case .refused, .resetBeforeProcessing, .resetAfterProcessing, .truncated, .gatewayTimeout, .cancellation: break
        }
        return fate
    }

    /// When that user cancels, counted from the user's start; nil for never.
    func cancellation(ofUser user: Int) -> Duration? {
        guard faults.contains(.cancellation), isKept(.cancellation(user: user)) else { return nil }
        var numbers = SplitMix64(seed, .cancellation, user)
        guard numbers.isTrue(max(rate, 0.1)) else { return nil }
        return numbers.duration(upTo: .seconds(60))
    }

    private func isKept(_ place: FaultPlace) -> Bool { kept?.contains(place) ?? true }
}
