extension CallHistory {
    /// One or two sentences: what took most of the time, where, and which setting helps.
    ///
    ///     81 % of 1.24 s was spent waiting for api.example.com:443 to answer. …
    public var summary: String {
        guard let cause = CallCause(self) else { return "It took no time." }
        let share = Int((cause.duration / total * 100).rounded())
        return "\(share) % of \(total.rounded.text) was spent \(phrase(cause)). \(advice(cause))"
    }

    private var last: CallAttempt? { attempts.last }
    private var host: String { ASCII.printable(last?.authority ?? "the host") }

    // MARK: What it was

    private func phrase(_ cause: CallCause) -> String {
        switch cause.kind {
        case .segment(let kind): phrase(kind)
        case .newConnection: "opening a new connection to \(host): name, TCP and TLS together"
        case .redirects(let count): "on \(count) \(count == 1 ? "redirect" : "redirects") to \(host)"
        case .retries(let count):
            "on \(count) \(count == 1 ? "attempt that was" : "attempts that were") repeated"
                + (failures.map { " (\($0))" } ?? "") + " and the waits between attempts\(reason(.retry))"
        }
    }

    private func phrase(_ kind: CallSegment.Kind) -> String {
        switch kind {
        case .dispatcher: "in the queue of the dispatcher, which was making as many calls as it may"
        case .hostLimit: "in the queue of the dispatcher, which was making as many calls to \(host) as it may"
        case .rateLimit: "waiting for its turn by the rate limit\(reason(.rateLimit))"
        case .retry: "waiting for the next attempt"
        case .token: "waiting for a token\(reason(.token))"
        case .collapsed: "waiting for the answer to the same request of another call"
        case .cache: "on the cache's store"
        case .work: "on the work of a policy"
        case .setUp: "in this process before the exchange with \(host) began"
        case .resolve: "resolving the name of \(peer)"
        case .connect: "connecting to \(peer)\(triedAddresses)"
        case .tunnel: "on the tunnel to \(host)\(proxyNote)"
        case .secure: "on the TLS handshake with \(host)\(proxyNote)"
        case .prepare: "waiting for room on a connection to \(host)\(proxyNote)"
        case .send: "sending \(size(last?.bytesSent)) to \(host)"
        case .server: "waiting for \(host) to answer"
        case .receive: "receiving \(size(last?.bytesReceived)) from \(host)"
        case .contentDecoding: "decoding the content of \(size(last?.bytesReceived)) from \(host)"
        case .finish: "in this process once the response from \(host) was there"
        case .handover: "between the policies of this client and its transport"
        case .decode: "decoding the body"
        case .other: "in this process outside of the exchange"
        }
    }

    /// The other end of the connection.
    private var peer: String { last?.connection?.proxy.map { "the proxy \(ASCII.printable($0))" } ?? host }

    private var proxyNote: String {
        last?.connection?.proxy.map { " through the proxy \(ASCII.printable($0))" } ?? ""
    }

    /// ` (5 per 1 s)`: the reason of the longest such wait.
    private func reason(_ cause: CallWait.Cause) -> String {
        let longest = waits.filter { $0.cause == cause }.max { $0.duration < $1.duration }
        return longest?.reason.map { " (\(ASCII.printable($0)))" } ?? ""
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
            if let place = counts.firstIndex(where: { $0.text == text }) {
                counts[place].count += 1
            } else {
                counts.append((text, 1))
            }
        }
        guard !counts.isEmpty else { return nil }
        return counts.map { $0.count == 1 ? $0.text : "\($0.text), \($0.count) times" }.joined(separator: "; ")
    }

    private var triedAddresses: String {
        guard let addresses = last?.connection?.addresses, addresses.count > 1 else { return "" }
        let shown = addresses.prefix(4).map { ASCII.printable($0.text) }.joined(separator: ", ")
        return ", where \(addresses.count) addresses were tried: \(shown)\(addresses.count > 4 ? ", …" : "")"
    }

    private func size(_ count: Int64?) -> String { ByteCount.text(count ?? 0) }

    // MARK: What helps

    private func advice(_ cause: CallCause) -> String {
        switch cause.kind {
        case .newConnection:
            "Use one client for all calls, so that connections are kept; PoolConfiguration says how many and how long."
        case .redirects: "Request the last URL directly."
        case .retries: "Fix the server; RetryPolicy limits the attempts, and Backoff sets the waits between them."
        case .segment(let kind): advice(kind)
        }
    }

    private func advice(_ kind: CallSegment.Kind) -> String {
        switch kind {
        case .dispatcher: "Raise Dispatcher.Configuration.running, or make fewer calls at once."
        case .hostLimit: "Raise Dispatcher.Configuration.runningPerHost, or make fewer calls at once."
        case .rateLimit: "Raise the count or the burst of .rateLimit, or make fewer calls."
        case .retry: "Backoff sets how long it waits."
        case .token: "Make the refresh faster; refreshTimeout of BearerTokens limits it."
        case .collapsed: "The cache sends equal requests once: the time is that of the first of them."
        case .cache: "Check the disk that the store is on, or use one in memory."
        case .work: "Check the policies of this client that do work."
        case .setUp: "Check body sources and files, and how many calls one thread makes: others have their turn."
        case .tunnel: "Check the proxy; kept connections need no tunnel, so use one client for all calls."
        case .resolve: "Check the system's name servers; .connectTimeout limits this phase."
        case .connect where (last?.connection?.addresses.count ?? 0) > 1:
            "Check why the first addresses do not answer; .connectTimeout limits this phase."
        case .connect:
            "Check the network and whether the server's queue for connections is full; .connectTimeout limits this phase."
        case .secure:
            "Kept connections need no handshake: use one client for all calls; .connectTimeout limits this phase."
        case .prepare: "Check the proxy, or raise the number of connections in PoolConfiguration."
        case .send: "Send less, for example .compressed(), or check the line; .idleTimeout ends a call that stalls."
        case .server: "The time is the server's: ask for less; .timeout limits the call."
        case .receive:
            "Ask for less, for example a range or a page, or check the line; .idleTimeout ends a call that stalls."
        case .contentDecoding: "Ask for less at once, or for no encoding: .removingHeader(\"Accept-Encoding\")."
        case .finish: "Check body sinks and the disk, and how many calls one thread makes: others have their turn."
        case .handover: "Check interceptors that are closures, and whether there are processors for all threads."
        case .decode: "Ask for less at once, or decode it element by element."
        case .other: "Check interceptors, body sources and sinks: their code runs in the time of the call."
        }
    }
}

extension Duration {
    /// Rounded to three or four digits.
    var rounded: Duration {
        let step: Duration =
            if self >= .seconds(10) {
                .milliseconds(100)
            } else if self >= .seconds(1) {
                .milliseconds(10)
            } else if self >= .milliseconds(100) {
                .milliseconds(1)
            } else if self >= .milliseconds(10) { .microseconds(100) } else { .microseconds(1) }
        return step * Int((self / step).rounded())
    }
}
