import HTTPSupport

/// What a call is doing: one list for the phase of an error, the cause of a wait and the parts of a call's time.
///
///     if error.record?.phase == .connecting { … }
///     let inQueue = response.history.waits.filter { $0.cause == .queued }
///     let longest = response.history.segments.max { $0.duration < $1.duration }?.activity
///
/// As text and in JSON it is the name of the case, and `.named("quota")` is `quota`. An unknown name is read as `named`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CallActivity: Sendable, Hashable {
    /// Waiting for a free slot: the limit of calls is reached. An error has this phase whatever limit it waits for.
    case queued
    /// Waiting for a free slot: the limit of calls to the host is reached.
    case hostLimit
    /// Waiting for the rate limit of `.rateLimit`.
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

    /// Whether it is a part of an exchange.
    var isPhase: Bool { Self.phases.contains(self) }

    private static let phases = phasesBeforeSending.union([
        .sending, .waiting, .receiving, .decompressing, .finishing,
    ])

    /// Whether it is a part of an exchange of whose request the server has nothing yet.
    var isBeforeSending: Bool { Self.phasesBeforeSending.contains(self) }

    private static let phasesBeforeSending: Set<CallActivity> = [
        .starting, .resolving, .connecting, .tunneling, .securing, .preparing,
    ]
}

extension CallActivity {
    /// As JSON has it.
    package var name: String {
        switch self {
        case .queued: "queued"
        case .hostLimit: "hostLimit"
        case .rateLimit: "rateLimit"
        case .betweenAttempts: "betweenAttempts"
        case .authorizing: "authorizing"
        case .collapsed: "collapsed"
        case .cache: "cache"
        case .work: "work"
        case .named(let name): name
        case .starting: "starting"
        case .resolving: "resolving"
        case .connecting: "connecting"
        case .tunneling: "tunneling"
        case .securing: "securing"
        case .preparing: "preparing"
        case .sending: "sending"
        case .waiting: "waiting"
        case .receiving: "receiving"
        case .decompressing: "decompressing"
        case .finishing: "finishing"
        case .handingOver: "handingOver"
        case .decoding: "decoding"
        case .other: "other"
        }
    }

    /// What an error names: the parties of an exchange.
    struct Parties {
        var host = "the host"
        /// The first peer of the connection: the proxy or the socket, if any.
        var firstPeer = "the host"
        /// ` (192.0.2.7)`; empty where the address is unknown.
        var address = ""
        var proxy: String?
    }

    /// In an error, behind `while`.
    package var doing: String { doing(among: Parties()) }

    func doing(among parties: Parties) -> String {
        let first = parties.firstPeer
        let peer = parties.host + (parties.proxy.map { " by way of the proxy \($0)" } ?? "") + parties.address
        return switch self {
        case .queued, .hostLimit, .rateLimit: "waiting for its turn"
        case .betweenAttempts: "waiting to be tried again"
        case .authorizing: "waiting for a token"
        case .collapsed: "waiting for the answer to the same request of another call"
        case .cache: "waiting for the cache's store"
        case .work: "waiting for the work of a policy"
        case .named(let name): "waiting for \(ASCII.printable(name))"
        case .starting: "starting"
        case .resolving: "resolving \(first)"
        case .connecting: "connecting to \(first)\(parties.address)"
        case .tunneling: "opening the tunnel to \(peer)"
        case .securing: "setting up TLS with \(peer)"
        case .preparing: "waiting for room on a connection to \(peer)"
        case .sending: "sending to \(peer)"
        case .waiting: "waiting for \(peer) to answer"
        case .receiving: "receiving from \(peer)"
        case .decompressing: "decoding the content from \(peer)"
        case .finishing: "finishing the response from \(peer)"
        case .handingOver: "passing between policies and transport"
        case .decoding: "decoding the body"
        case .other: "running code around the exchange"
        }
    }
}
