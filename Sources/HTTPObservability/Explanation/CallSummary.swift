import HTTPSupport

extension CallHistory {
    /// One or two sentences: what took most of the time, where, and which setting helps.
    ///
    ///     81 % of 1.24 s was spent waiting for api.example.com to answer. …
    public var summary: String {
        guard let cause = CallCause(self) else { return "It took no time." }
        let share = Int((cause.duration / total * 100).rounded())
        return "\(share) % of \(total.rounded.text) was spent \(phrase(cause)). \(advice(cause))"
    }

    /// The last exchange, as the texts name it.
    private var parties: CallParties {
        var parties = CallParties()
        parties.isUnsent = attemptCount == 0 && waits.isEmpty
        guard let last = attempts.last else { return parties }
        parties.host = ASCII.printable(last.authority)
        parties.proxy = last.connection?.proxy.map(ASCII.printable)
        parties.firstPeer = parties.proxy.map { "the proxy \($0)" } ?? parties.host
        parties.addresses = last.connection?.addresses.map { ASCII.printable($0.text) } ?? []
        (parties.bytesSent, parties.bytesReceived) = (last.bytesSent, last.bytesReceived)
        return parties
    }

    // MARK: What it was

    private func phrase(_ cause: CallCause) -> String {
        switch cause.kind {
        case .segment(let kind): kind.texts(of: parties).spent + reason(kind)
        case .newConnection: "opening a new connection to \(parties.host): name, TCP and TLS together"
        case .redirects(let count): "on \(count) \(count == 1 ? "redirect" : "redirects") to \(parties.host)"
        case .retries(let count):
            "on \(count) \(count == 1 ? "attempt that was" : "attempts that were") repeated"
                + (failures.map { " (\($0))" } ?? "") + " and the waits between attempts\(reason(.betweenAttempts))"
        }
    }

    private func longestWait(_ cause: CallActivity) -> CallWait? {
        waits.filter { $0.cause == cause }.max { $0.duration < $1.duration }
    }

    /// ` (5 per 1 s)`: the reason of the longest such wait.
    private func reason(_ cause: CallActivity) -> String {
        longestWait(cause)?.reason.map { " (\(ASCII.printable($0)))" } ?? ""
    }

    /// The outcomes of the attempts before the last: `503, 2 times; connection refused`.
    private var failures: String? {
        var counts: [(text: String, count: Int)] = []
        for attempt in retried {
            let text =
                switch attempt.outcome {
                case .answered(let status): "\(status)"
                case .failed(_, let reason): ASCII.printable(reason)
                }
            if let index = counts.firstIndex(where: { $0.text == text }) {
                counts[index].count += 1
            } else {
                counts.append((text, 1))
            }
        }
        guard !counts.isEmpty else { return nil }
        return counts.map { $0.count == 1 ? $0.text : "\($0.text), \($0.count) times" }.joined(separator: "; ")
    }

    // MARK: What helps

    private func advice(_ cause: CallCause) -> String {
        switch cause.kind {
        case .newConnection:
            "Use one client for all calls, so that connections are kept; PoolConfiguration says how many and how long."
        case .redirects: "Request the last URL directly."
        case .retries: retryAdvice
        case .segment(let kind): longestWait(kind)?.advice.map(Self.sentence) ?? kind.texts(of: parties).advice
        }
    }

    /// What was repeated without a wait between the attempts was not repeated by a `RetryPolicy`, which cannot help.
    private var retryAdvice: String {
        guard longestWait(.betweenAttempts) == nil, !retried.isEmpty else {
            return "Fix the server; RetryPolicy limits the attempts, and Backoff sets the waits between them."
        }
        if retried.allSatisfy({ $0.outcome == .answered(.unauthorized) }) {
            return "Use one .bearer or .digest for all calls: what it knows by then is sent with the first attempt."
        }
        return "Look at the server's log; PoolConfiguration.idleTime limits how long connections are kept."
    }

    /// A phrase as a sentence.
    private static func sentence(_ words: String) -> String {
        ASCII.printable(words.prefix(1).uppercased() + words.dropFirst()) + "."
    }
}
