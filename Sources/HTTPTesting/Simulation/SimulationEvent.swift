import HTTPSupport

/// What happened in a simulated world at one instant.
public struct SimulationEvent: Sendable, Hashable {
    /// What an event may be.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// A call through a client of the world began, with so much time.
        case callStarted(within: Duration?)
        /// The client sent a request.
        case sent
        /// The server did what the request asks.
        case processed
        /// The server knew the request by its Idempotency-Key, and answered as before without doing it again.
        case recognized
        /// The client got an answer.
        case answered(HTTPStatus)
        /// The client got no answer, or not all of it.
        case failed(String)
        /// A policy began to wait.
        case waiting(CallActivity)
        /// The user cancelled.
        case cancelled
        /// The call ended, with this outcome.
        case callEnded(String)
        /// The world had to end, with this cause.
        case stopped(String)
    }

    /// What it is.
    public let kind: Kind
    /// When it happened, counted from the start of the world.
    public let time: Duration
    /// The number of the user, from 1; 0 for what belongs to no watched call of a user.
    public internal(set) var user = 0
    /// The number of the call in the world, from 1; 0 for what belongs to no call.
    public internal(set) var call = 0
    /// The number of the exchange in the world, from 1; 0 for what belongs to none.
    public internal(set) var exchange = 0
    /// The number of the exchange in its call, from 1; 0 for what belongs to none.
    public internal(set) var attempt = 0
    /// The request that was made or sent; nil for what belongs to none.
    public internal(set) var request: Request?
    /// The request's body.
    var body: [UInt8] = []

    init(_ kind: Kind, at time: Duration) { (self.kind, self.time) = (kind, time) }

    public static func == (one: SimulationEvent, other: SimulationEvent) -> Bool {
        one.kind == other.kind && one.time == other.time && one.user == other.user && one.call == other.call
            && one.exchange == other.exchange && one.attempt == other.attempt && one.target == other.target
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(time)
        hasher.combine(exchange)
    }

    /// Method and URL; nil for what belongs to no request.
    private var target: String? { request.map { "\($0)" } }
}

extension SimulationEvent: CustomStringConvertible {
    /// `call 1, attempt 2: sent`
    public var description: String { place + ": " + sentence }

    var place: String {
        var parts: [String] = []
        if user > 0 { parts.append("user \(user)") }
        if call > 0 { parts.append("call \(call)") }
        if attempt > 0 { parts.append("attempt \(attempt)") }
        if call == 0, exchange > 0 { parts.append("exchange \(exchange)") }
        return parts.isEmpty ? "the world" : parts.joined(separator: ", ")
    }

    /// The same in a few characters.
    fileprivate var label: String {
        if call > 0 { return attempt > 0 ? "call \(call).\(attempt)" : "call \(call)" }
        return exchange > 0 ? "exchange \(exchange)" : user > 0 ? "user \(user)" : "world"
    }

    var sentence: String {
        let request = target ?? ""
        return switch kind {
        case .callStarted(let time):
            request + " (" + [time?.text, user > 0 ? "user \(user)" : nil].compactMap(\.self).joined(separator: ", ")
                + ")"
        case .sent: call > 0 ? "sent" : "\(request) is sent"
        case .processed: "the server does it"
        case .recognized: "the server recognizes its key, and answers as before"
        case .answered(let status): "answered with \(status)"
        case .failed(let reason): reason
        case .waiting(let cause): cause.doing
        case .cancelled: "cancels"
        case .callEnded(let outcome): "ends: \(outcome)"
        case .stopped(let cause): cause
        }
    }
}

extension [SimulationEvent] {
    /// A line for each event, with its place in the time between the first and the last.
    var drawing: String {
        guard let first, let last else { return "  nothing happened" }
        let (start, total) = (first.time, last.time - first.time)
        let width = 8
        let labels = map(\.label.count).max() ?? 0
        return map { event in
            let share = total > .zero ? (event.time - start) / total : 0
            let column = Swift.min(width - 1, Int(share * Double(width)))
            let bar = String(repeating: "·", count: column) + "█" + String(repeating: "·", count: width - 1 - column)
            let time = event.time.rounded.text
            let padding = String(repeating: " ", count: Swift.max(0, 8 - time.count))
            let label = event.label + String(repeating: " ", count: labels - event.label.count)
            return "  \(padding)\(time) \(bar) \(label) \(event.sentence)"
        }.joined(separator: "\n")
    }
}
