import HTTPCore
import Testing

import HTTPMockServer

/// One fault of a server or the network, and the outcome that a call must have.
struct Fault: Sendable, CustomTestStringConvertible {
    /// The part of the exchange in which it happens.
    enum Phase: String, Sendable, CaseIterable { case connecting, securing, sending, head, body, redirect }

    /// The peer of the request.
    enum Place: Sendable {
        /// A server that does this once the connection is established, after the TLS handshake if there is one.
        case server(MockServer.TLS = MockServer.TLS(), @Sendable (FaultConnection) -> Void)
        /// A server that does this with the bare connection, before any handshake.
        case socket(@Sendable (FaultConnection) -> Void)
        /// A server that does not accept connections; the system completes them anyway.
        case notAccepted
        case unusedPort
        case unansweredPort
    }

    /// What ends the call.
    enum Ending: String, Sendable, CaseIterable {
        /// The fault itself.
        case own = "by itself"
        case connectTimeout = "connect timeout"
        case idleTimeout = "idle timeout"
        case totalTimeout = "total timeout"
        case cancellation
    }

    /// One way to end, with the outcomes that are right for it, in the words of `FaultOutcome`.
    struct Expectation: Sendable {
        let ending: Ending
        let outcomes: Set<String>
    }

    let phase: Phase
    let name: String
    let expectations: [Expectation]
    let place: Place
    /// The engines that are not tested, each with the reason.
    private let skipped: [FaultEngine: String]
    /// Changes the request, which is a GET.
    let change: @Sendable (MutableRequest) -> MutableRequest

    var testDescription: String { "\(phase): \(name)" }

    /// - Parameters:
    ///   - outcomes: The outcomes if the call ends by itself. Empty for a fault that lasts.
    ///   - limits: What ends a call that would last.
    ///   - orEarlier: The outcomes that it may have before that.
    init(
        _ phase: Phase, _ name: String, _ outcomes: Set<String> = [], limits: [Ending] = [],
        orEarlier: Set<String> = [], place: Place, skipped: [FaultEngine: String] = [:],
        change: @escaping @Sendable (MutableRequest) -> MutableRequest = { $0 }
    ) {
        self.phase = phase
        self.name = name
        expectations =
            (outcomes.isEmpty ? [] : [Expectation(outcomes)])
            + limits.map { Expectation(ending: $0, outcomes: orEarlier.union([$0.outcome])) }
        self.place = place
        self.skipped = skipped
        self.change = change
    }

    /// The expectations for `engine`.
    func expectations(on engine: FaultEngine) -> [Expectation] {
        guard engine == .urlSession else { return expectations }
        return switch URLSessionException.all[testDescription] {
        case .differs(let outcomes, _): expectations.map { $0.ending == .own ? Expectation(outcomes) : $0 }
        case .lasts: [Ending].drip.map(Expectation.init)
        case .skipped, nil: expectations
        }
    }

    /// Why it is not tried on `engine`; nil if it is.
    func reasonToSkip(on engine: FaultEngine) -> String? {
        if engine == .urlSession, case .skipped(let reason) = URLSessionException.all[testDescription] { return reason }
        return skipped[engine]
    }

    /// Why `ending` is not tried on `engine`; nil if it is.
    func reasonToSkip(_ ending: Ending, on engine: FaultEngine) -> String? {
        if let reason = reasonToSkip(on: engine) { return reason }
        guard engine == .urlSession else { return nil }
        switch (ending, phase) {
        case (.connectTimeout, _), (.idleTimeout, .connecting), (.idleTimeout, .head), (.idleTimeout, .sending),
            (.idleTimeout, .redirect):
            return FaultEngine.tellsNoConnection
        default: return nil
        }
    }
}

extension Fault.Expectation {
    /// For a fault that ends the call.
    init(_ outcomes: Set<String>) { self.init(ending: .own, outcomes: outcomes) }
    init(_ ending: Fault.Ending) { self.init(ending: ending, outcomes: [ending.outcome]) }
}

extension Fault.Ending {
    fileprivate var outcome: String {
        switch self {
        case .own: ""
        case .connectTimeout: "timedOut connect"
        case .idleTimeout: "timedOut idle"
        case .totalTimeout: "timedOut total"
        case .cancellation: "cancelled"
        }
    }
}

extension [Fault.Ending] {
    /// For faults that may last forever without a byte.
    static let silence: [Fault.Ending] = [.idleTimeout, .totalTimeout, .cancellation]
    /// For faults that last forever, with a byte now and then.
    static let drip: [Fault.Ending] = [.totalTimeout, .cancellation]
}

/// The outcome of a call in two words: the case of the error and its reason, or the status.
enum FaultOutcome {
    static func errorMessage(for result: Result<Response, HTTPError>) -> String {
        switch result {
        case .success(let response): "\(response.status.rawValue)"
        case .failure(.timedOut(let failure)): "timedOut \(failure.limit, default: "?")"
        case .failure(.connection(let failure)): "connection \(failure.reason)"
        case .failure(.tls(let failure)): "tls \(failure.reason)"
        case .failure(.truncatedBody(let failure)): "truncatedBody \(name(of: failure.reason))"
        case .failure(.limitExceeded(let failure)): "limitExceeded \(failure.limit)"
        case .failure(.redirect(let failure)): "redirect \(name(of: failure.reason))"
        case .failure(.body(let failure)): "body \(name(of: failure.reason))"
        case .failure(let error): name(of: error)
        }
    }

    /// The name of a case without its values.
    private static func name(of value: Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }
}
