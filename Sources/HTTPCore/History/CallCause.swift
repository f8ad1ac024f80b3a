/// What took most of a call's time, and what helps.
struct CallCause: Sendable, Hashable {
    let kind: Kind
    /// How much of the whole it took.
    let duration: Duration

    enum Kind: Sendable, Hashable {
        case part(CallPart.Kind)
        /// Several phases of a new connection together, none of which stands out.
        case opening
        /// Exchanges that only pointed on.
        case redirects(count: Int)
        /// Attempts that were made again, and the waits between them.
        case retries(count: Int)
    }

    /// Nil for a call that took no time.
    init?(_ history: CallHistory) {
        guard history.total > .zero else { return nil }
        var sums: [Kind: Duration] = [:]
        let parts = history.parts
        let retries = history.attempts.indices.dropLast().filter { !history.attempts[$0].isRedirect }
        let redirects = history.attempts.indices.dropLast().filter { history.attempts[$0].isRedirect }
        for part in parts {
            let kind: Kind =
                if part.kind == .backoff || part.attempt.map(retries.contains) == true {
                    .retries(count: retries.count)
                } else if part.attempt.map(redirects.contains) == true {
                    .redirects(count: redirects.count)
                } else { .part(part.kind) }
            sums[kind, default: .zero] += part.duration
        }
        Self.foldOpening(&sums)
        // Of two that took the same, the first by name: what is said does not depend on luck.
        let all = sums.sorted { ($1.value, "\($0.key)") < ($0.value, "\($1.key)") }
        guard let largest = all.first else { return nil }
        (kind, duration) = (largest.key, largest.value)
    }

    /// Phases of a new connection count as one where the largest of them is less than three fifths of all.
    private static func foldOpening(_ sums: inout [Kind: Duration]) {
        let phases: [Kind] = [.part(.resolve), .part(.connect), .part(.secure), .part(.prepare)]
        let durations = phases.compactMap { sums[$0] }
        let whole = durations.reduce(.zero, +)
        guard durations.count > 1, let largest = durations.max(), largest * 5 < whole * 3 else { return }
        for phase in phases { sums[phase] = nil }
        sums[.opening] = whole
    }
}

extension CallHistory {
    /// One sentence: what took most of the time, where, and the setting that helps.
    public var sentence: String {
        guard let cause = CallCause(self) else { return "It took no time." }
        let share = Int((cause.duration / total * 100).rounded())
        return "\(share) % of \(total.rounded.text) was \(words(cause)). \(advice(cause))"
    }

    private var last: CallAttempt? { attempts.last }
    private var host: String { ASCII.printable(last?.authority ?? "") }

    private func words(_ cause: CallCause) -> String {
        switch cause.kind {
        case .part(let kind): words(kind)
        case .opening: "spent on a new connection to \(host): its address, TCP and TLS together"
        case .redirects(let count): "spent on \(count) \(count == 1 ? "redirect" : "redirects") on the way to \(host)"
        case .retries(let count):
            "spent on \(count) \(count == 1 ? "attempt that was" : "attempts that were") made again"
                + (failures.map { " (\($0))" } ?? "") + " and the waits between them"
        }
    }

    /// What the attempts before the last came to: `503 twice, connecting failed`.
    private var failures: String? {
        var counts: [(text: String, count: Int)] = []
        for attempt in attempts.dropLast() where !attempt.isRedirect {
            let text =
                switch attempt.outcome {
                case .answered(let status): "\(status)"
                case .failed(_, let reason): reason
                }
            if let place = counts.firstIndex(where: { $0.text == text }) {
                counts[place].count += 1
            } else {
                counts.append((text, 1))
            }
        }
        guard !counts.isEmpty else { return nil }
        return counts.map { $0.count == 1 ? $0.text : "\($0.text), \($0.count) times" }.joined(separator: "; ")
    }

    private func words(_ kind: CallPart.Kind) -> String {
        switch kind {
        case .rateLimit: "waiting for its turn by the rate limit"
        case .backoff: "waiting for the next attempt"
        case .token: "waiting for a token"
        case .resolve: "looking up the address of \(host)"
        case .connect: "connecting to \(host)\(triedAddresses)"
        case .secure: "the TLS handshake with \(host)"
        case .prepare: "waiting until \(host) could be sent to: a proxy on the way, or a free place on a connection"
        case .send: "sending \(bytes(last?.bytesSent)) to \(host)"
        case .server: "waiting for \(host) to answer"
        case .receive: "receiving \(bytes(last?.bytesReceived)) from \(host)"
        case .rest: "spent in this process, or in interceptors of its own"
        }
    }

    private var triedAddresses: String {
        guard let addresses = last?.connection?.addresses, addresses.count > 1 else { return "" }
        return ", of which \(addresses.count) addresses were tried: \(addresses.map(\.text).joined(separator: ", "))"
    }

    private func bytes(_ count: Int64?) -> String { ProgressLine.size(Double(count ?? 0)) }

    private func advice(_ cause: CallCause) -> String {
        switch cause.kind {
        case .opening:
            "Keep one client for all calls: its connections are used again, for as long as PoolConfiguration says."
        case .redirects: "Ask for the last URL at once."
        case .retries:
            "RetryPolicy has the limit and the back-off; what the attempts came to is for the server to mend."
        case .part(let kind): advice(kind)
        }
    }

    private func advice(_ kind: CallPart.Kind) -> String {
        switch kind {
        case .rateLimit: "Raise the count or the burst of .rateLimit, or send fewer requests."
        case .backoff: "RetryPolicy has the limit and the back-off."
        case .token: "Refresh before the token ends, or make the refresh faster: refreshTimeout bounds it."
        case .resolve: "Look at the system's resolver; addressOverrides does without it."
        case .connect:
            "Look at the network and at the server's queue of connections; .connectTimeout bounds it, and a connection "
                + "that is kept needs none of it."
        case .secure: "A connection that is kept needs no handshake: keep one client, and look at the server's load."
        case .prepare: "Look at the proxy, or raise how many connections PoolConfiguration allows."
        case .send: "Send less (.compressed()), or look at the line; .idleTimeout bounds a stall."
        case .server: "Only the server can be faster; .timeout bounds the call, and asking for less may help."
        case .receive: "Ask for less (Range, fields, pages), or look at the line; .idleTimeout bounds a stall."
        case .rest: "Measure what surrounds the call: closures, sinks and sources run in its time."
        }
    }
}

extension Duration {
    /// With three digits at most, as a person would say it.
    var rounded: Duration {
        let step: Duration =
            if self >= .seconds(10) { .milliseconds(100) } else if self >= .seconds(1) {
                .milliseconds(10)
            } else if self >= .milliseconds(100) { .milliseconds(1) } else if self >= .milliseconds(10) {
                .microseconds(100)
            } else { .microseconds(1) }
        return step * Int((self / step).rounded())
    }
}
