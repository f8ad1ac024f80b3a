import HTTPSupport

/// What a call is doing: one list for the phase of an error, the cause of a wait and the parts of a call's time.
///
///     if error.record?.phase == .connecting { … }
///     let inQueue = response.history.waits.filter { $0.cause == .queued }
///     let longest = response.history.segments.max { $0.duration < $1.duration }?.kind
///
/// As text and in JSON it is the name of the case, and `.named("quota")` is `quota`. An unknown name is read as `named`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CallActivity: Sendable, Hashable {
    /// Waiting for its turn: as many calls are running as may. An error has this phase whatever it waits its turn for.
    case queued
    /// Waiting for its turn: as many calls to the host are running as may.
    case hostLimit
    /// Waiting for its turn by `.rateLimit`.
    case rateLimit
    /// Waiting for the next attempt.
    case betweenAttempts
    /// Waiting for a token.
    case authorizing
    /// Waiting for the response to the same request by another call; see `Interceptor.cache(_:)`.
    case collapsed
    /// Waiting for the cache's store to be read or written.
    case cache
    /// Waiting for the work of a policy: `PolicyStep.run`.
    case work
    /// Waiting for what a policy of your own names, such as `quota`.
    case named(String)
    /// Work before the engine starts: checking the request, taking a connection from the pool and opening the body. In an
    /// event loop, other calls run meanwhile.
    case starting
    /// Looking up the host name.
    case resolving
    /// Opening the connection. In an error also: waiting for the proxy to do so.
    case connecting
    /// Opening a tunnel through a proxy; `PhaseTimings.tunneled` says when that can be measured.
    case tunneling
    /// The TLS handshake.
    case securing
    /// From the open connection until the request can be sent, for example until a shared connection has capacity.
    case preparing
    /// Sending the request. As a part of a call's time: sending the body, if it is too large to be sent with the head.
    case sending
    /// Waiting for the first byte of the response. As a part of a call's time: with the rest of the request.
    case waiting
    /// Receiving the response, from its first byte to its last.
    case receiving
    /// Content decoding (gzip, deflate, br, zstd). It happens while the response arrives, but is shown as one
    /// segment after it.
    case decompressing
    /// Work after the last byte arrived: checking the response, finishing the sink and handing it over. In an event loop,
    /// other calls run meanwhile.
    case finishing
    /// Between policies and transport: `CallAttempt.handover`.
    case handingOver
    /// Decoding the body with `decoded(as:)`.
    case decoding
    /// None of these: time that no part of the call has measured.
    case other
}

extension CallActivity: CaseIterable {
    /// Every case but `named`, in the order of a call.
    public static let allCases: [CallActivity] = [
        .queued, .hostLimit, .rateLimit, .betweenAttempts, .authorizing, .collapsed, .cache, .work, .starting,
        .resolving, .connecting, .tunneling, .securing, .preparing, .sending, .waiting, .receiving, .decompressing,
        .finishing, .handingOver, .decoding, .other,
    ]
}

extension CallActivity: CustomStringConvertible, Codable {
    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    package init(name: String) { self = Self.byName[name] ?? .named(name) }

    public init(from decoder: any Decoder) throws {
        self.init(name: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    /// The name of the case, or the name that `named` gives, with its unprintable characters escaped.
    public var description: String { ASCII.printable(name) }

    /// As JSON has it.
    package var name: String { texts().name }

    /// Whether it is a part of an exchange.
    var isPhase: Bool { Self.phases.contains(self) }

    private static let phases: Set<CallActivity> = [
        .starting, .resolving, .connecting, .tunneling, .securing, .preparing, .sending, .waiting, .receiving,
        .decompressing, .finishing,
    ]
}

extension CallActivity {
    /// What the texts name: the parties of an exchange, and how much they send.
    package struct Parties {
        package var host = "the host"
        /// The first peer of the connection: the proxy or the socket, if any.
        package var firstPeer = "the host"
        /// ` (192.0.2.7)`; empty where the address is unknown.
        var address = ""
        package var proxy: String?
        /// The addresses of the first peer that were tried.
        package var addresses: [String] = []
        package var bytesSent: Int64 = 0
        package var bytesReceived: Int64 = 0

        package init(
            host: String = "the host", firstPeer: String = "the host", address: String = "", proxy: String? = nil
        ) {
            (self.host, self.firstPeer, self.address, self.proxy) = (host, firstPeer, address, proxy)
        }
    }

    package struct Texts {
        /// As JSON has it.
        package let name: String
        /// In a waterfall.
        package let label: String
        /// In a summary, behind `was spent`.
        package let spent: String
        /// In an error, behind `while`.
        package let doing: String
        /// How it would take less time, if the wait itself does not say.
        package let advice: String

        init(_ name: String, _ label: String, _ spent: String, doing: String? = nil, advice: String) {
            (self.name, self.label, self.spent, self.doing) = (name, label, spent, doing ?? spent)
            self.advice = advice
        }
    }

    /// All texts about it, between these parties.
    package func texts(of parties: Parties = Parties()) -> Texts {
        let (host, first) = (parties.host, parties.firstPeer)
        let peer = host + (parties.proxy.map { " by way of the proxy \($0)" } ?? "") + parties.address
        let route = host + (parties.proxy.map { " through the proxy \($0)" } ?? "")
        let received = ByteCount.text(parties.bytesReceived)
        return switch self {
        case .queued:
            Texts("queued", "queue", "waiting for its turn", advice: "Make fewer calls at once, or allow more.")
        case .hostLimit:
            Texts(
                "hostLimit", "host limit", "waiting for its turn among the calls to \(host)",
                doing: "waiting for its turn", advice: "Make fewer calls to one host at once, or allow more.")
        case .rateLimit:
            Texts(
                "rateLimit", "rate limit", "waiting for its turn by the rate limit", doing: "waiting for its turn",
                advice: "Raise the count or the burst of .rateLimit, or make fewer calls.")
        case .betweenAttempts:
            Texts(
                "betweenAttempts", "retry wait", "waiting for the next attempt", doing: "waiting to be tried again",
                advice: "Backoff sets how long it waits.")
        case .authorizing:
            Texts(
                "authorizing", "token", "waiting for a token",
                advice: "Make the refresh faster; refreshTimeout of BearerTokens limits it.")
        case .collapsed:
            Texts(
                "collapsed", "same request", "waiting for the answer to the same request of another call",
                advice: "The cache sends equal requests once: the time is that of the first of them.")
        case .cache:
            Texts(
                "cache", "cache", "on the cache's store", doing: "waiting for the cache's store",
                advice: "Check the disk that the store is on, or use one in memory.")
        case .work:
            Texts(
                "work", "work", "on the work of a policy", doing: "waiting for the work of a policy",
                advice: "Check the policies of this client that do work.")
        case .named(let name):
            Texts(
                name, ASCII.printable(name), "waiting for \(ASCII.printable(name))",
                advice: "Check the policy of this client that waits for it.")
        case .starting:
            Texts(
                "starting", "set up", "in this process before the exchange with \(host) began", doing: "starting",
                advice: "Check body sources and files, and how many calls one thread makes: others have their turn.")
        case .resolving:
            Texts(
                "resolving", "resolve", "resolving the name of \(first)", doing: "resolving \(first)",
                advice: "Check the system's name servers; .connectTimeout limits this phase.")
        case .connecting:
            Texts(
                "connecting", "connect", "connecting to \(first)\(parties.triedAddresses)",
                doing: "connecting to \(first)\(parties.address)",
                advice: (parties.addresses.count > 1
                    ? "Check why the first addresses do not answer"
                    : "Check the network and whether the server's queue for connections is full")
                    + "; .connectTimeout limits this phase.")
        case .tunneling:
            Texts(
                "tunneling", "tunnel", "on the tunnel to \(route)", doing: "opening the tunnel to \(peer)",
                advice: "Check the proxy; kept connections need no tunnel, so use one client for all calls.")
        case .securing:
            Texts(
                "securing", "TLS", "on the TLS handshake with \(route)", doing: "setting up TLS with \(peer)",
                advice: "Kept connections need no handshake: use one client for all calls;"
                    + " .connectTimeout limits this phase.")
        case .preparing:
            Texts(
                "preparing", "prepare", "waiting for room on a connection to \(route)",
                doing: "waiting for room on a connection to \(peer)",
                advice: "Check the proxy, make fewer calls to this host at once, or ask for .version(.http1).")
        case .sending:
            Texts(
                "sending", "send", "sending \(ByteCount.text(parties.bytesSent)) to \(host)",
                doing: "sending to \(peer)",
                advice: "Send less, for example .compressed(), or check the line;"
                    + " .idleTimeout ends a call that stalls.")
        case .waiting:
            Texts(
                "waiting", "server", "waiting for \(host) to answer", doing: "waiting for \(peer) to answer",
                advice: "The time is the server's: ask for less; .timeout limits the call.")
        case .receiving:
            Texts(
                "receiving", "receive", "receiving \(received) from \(host)", doing: "receiving from \(peer)",
                advice: "Ask for less, for example a range or a page, or check the line;"
                    + " .idleTimeout ends a call that stalls.")
        case .decompressing:
            Texts(
                "decompressing", "decompress", "decoding the content of \(received) from \(host)",
                doing: "decoding the content from \(peer)",
                advice: "Ask for less at once, or for no coding: .contentDecoding(false).")
        case .finishing:
            Texts(
                "finishing", "finish", "in this process once the response from \(host) was there",
                doing: "finishing the response from \(peer)",
                advice: "Check body sinks and the disk, and how many calls one thread makes: others have their turn.")
        case .handingOver:
            Texts(
                "handingOver", "handover", "between the policies of this client and its transport",
                doing: "passing between policies and transport",
                advice: "Check interceptors that are closures, and whether there are processors for all threads.")
        case .decoding:
            Texts(
                "decoding", "decode", "decoding the body",
                advice: "Ask for less at once, or decode it element by element.")
        case .other:
            Texts(
                "other", "other", "in this process outside of the exchange", doing: "running code around the exchange",
                advice: "Check interceptors, body sources and sinks: their code runs in the time of the call.")
        }
    }
}

extension CallActivity.Parties {
    fileprivate var triedAddresses: String {
        guard addresses.count > 1 else { return "" }
        let shown = addresses.prefix(4).joined(separator: ", ")
        return ", where \(addresses.count) addresses were tried: \(shown)\(addresses.count > 4 ? ", …" : "")"
    }
}
