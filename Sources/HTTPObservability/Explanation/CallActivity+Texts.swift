import HTTPSupport

/// What the texts name: the parties of an exchange, and how much they send.
struct CallParties {
    var host = "the host"
    /// The first peer of the connection: the proxy or the socket, if any.
    var firstPeer = "the host"
    var proxy: String?
    /// The addresses of the first peer that were tried.
    var addresses: [String] = []
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
    /// Whether there was no exchange.
    var isUnsent = false

    fileprivate var triedAddresses: String {
        guard addresses.count > 1 else { return "" }
        let shown = addresses.prefix(4).joined(separator: ", ")
        return ", where \(addresses.count) addresses were tried: \(shown)\(addresses.count > 4 ? ", …" : "")"
    }
}

extension CallActivity {
    /// In an explanation.
    struct Texts {
        /// In a waterfall.
        let label: String
        /// In a summary, behind `was spent`.
        let spent: String
        /// How it would take less time, if the wait itself does not say.
        let advice: String

        init(_ label: String, _ spent: String, advice: String) {
            (self.label, self.spent, self.advice) = (label, spent, advice)
        }
    }

    /// All texts about it, between these parties.
    func texts(of parties: CallParties = CallParties()) -> Texts {
        let (host, first) = (parties.host, parties.firstPeer)
        let route = host + (parties.proxy.map { " through the proxy \($0)" } ?? "")
        let received = ByteCount.text(parties.bytesReceived)
        return switch self {
        case .queued: Texts("queue", "waiting for its turn", advice: "Make fewer calls at once, or allow more.")
        case .hostLimit:
            Texts(
                "host limit", "waiting for its turn among the calls to \(host)",
                advice: "Make fewer calls to one host at once, or allow more.")
        case .rateLimit:
            Texts(
                "rate limit", "waiting for its turn by the rate limit",
                advice: "Raise the count or the burst of .rateLimit, or make fewer calls.")
        case .betweenAttempts:
            Texts("retry wait", "waiting for the next attempt", advice: "Backoff sets how long it waits.")
        case .authorizing:
            Texts(
                "token", "waiting for a token",
                advice: "Make the refresh faster; refreshTimeout of BearerTokens limits it.")
        case .collapsed:
            Texts(
                "same request", "waiting for the answer to the same request of another call",
                advice: "The cache sends equal requests once: the time is that of the first of them.")
        case .cache:
            Texts(
                "cache", "on the cache's store", advice: "Check the disk that the store is on, or use one in memory.")
        case .work:
            Texts("work", "on the work of a policy", advice: "Check the policies of this client that do work.")
        case .named(let name):
            Texts(
                ASCII.printable(name), "waiting for \(ASCII.printable(name))",
                advice: "Check the policy of this client that waits for it.")
        case .starting:
            Texts(
                "set up", "in this process before the exchange with \(host) began",
                advice: "Check body sources and files, and how many calls one thread makes: others have their turn.")
        case .resolving:
            Texts(
                "resolve", "resolving the name of \(first)",
                advice: "Check the system's name servers; .connectTimeout limits this phase.")
        case .connecting:
            Texts(
                "connect", "connecting to \(first)\(parties.triedAddresses)",
                advice: (parties.addresses.count > 1
                    ? "Check why the first addresses do not answer"
                    : "Check the network and whether the server's queue for connections is full")
                    + "; .connectTimeout limits this phase.")
        case .tunneling:
            Texts(
                "tunnel", "on the tunnel to \(route)",
                advice: "Check the proxy; kept connections need no tunnel, so use one client for all calls.")
        case .securing:
            Texts(
                "TLS", "on the TLS handshake with \(route)",
                advice: "Kept connections need no handshake: use one client for all calls;"
                    + " .connectTimeout limits this phase.")
        case .preparing:
            Texts(
                "prepare", "waiting for room on a connection to \(route)",
                advice: "Check the proxy, make fewer calls to this host at once, or ask for .version(.http1).")
        case .sending:
            Texts(
                "send", "sending \(ByteCount.text(parties.bytesSent)) to \(host)",
                advice: "Send less, for example .compressed(), or check the line;"
                    + " .idleTimeout ends a call that stalls.")
        case .waiting:
            Texts(
                "server", "waiting for \(host) to answer",
                advice: "The time is the server's: ask for less; .timeout limits the call.")
        case .receiving:
            Texts(
                "receive", "receiving \(received) from \(host)",
                advice: "Ask for less, for example a range or a page, or check the line;"
                    + " .idleTimeout ends a call that stalls.")
        case .decompressing:
            Texts(
                "decompress", "decoding the content of \(received) from \(host)",
                advice: "Ask for less at once, or for no coding: .contentDecoding(false).")
        case .finishing:
            Texts(
                "finish", "in this process once the response from \(host) was there",
                advice: "Check body sinks and the disk, and how many calls one thread makes: others have their turn.")
        case .handingOver:
            Texts(
                "handover", "between the policies of this client and its transport",
                advice: "Check interceptors that are closures, and whether there are processors for all threads.")
        case .decoding:
            Texts(
                "decode", "decoding the body", advice: "Ask for less at once, or decode it element by element.")
        case .other where parties.isUnsent:
            Texts(
                "other", "in this process", advice: "Nothing was sent: a replay, a cache or a policy ended the call.")
        case .other:
            Texts(
                "other", "in this process outside of the exchange",
                advice: "Check interceptors, body sources and sinks: their code runs in the time of the call.")
        }
    }
}
