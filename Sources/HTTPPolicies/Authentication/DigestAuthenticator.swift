import HTTPCore
import HTTPSupport

/// The state of one digest interceptor: the credentials, their origin, and the current nonce.
final class DigestAuthenticator: Sendable {
    private let credentials: DigestCredentials
    private let makeClientNonce: @Sendable () -> String
    private let state: Locked<State>

    private struct State: Sendable {
        var origin: Origin?
        var session: DigestSession?
    }

    init(_ credentials: DigestCredentials, origin: Origin?, makeClientNonce: @escaping @Sendable () -> String) {
        self.credentials = credentials
        self.makeClientNonce = makeClientNonce
        state = Locked(State(origin: origin))
    }

    /// Whether the credentials apply to that origin. If none was given, the first one that a call was made to becomes
    /// theirs; `isCalled`: whether this is one, and not where a server led.
    func isFor(_ origin: Origin, isCalled: Bool = true) -> Bool {
        state.withLock { state in
            if state.origin == nil, isCalled { state.origin = origin }
            return state.origin == origin
        }
    }

    /// The same without an effect: the origin of the first call may still be any.
    func mayBeFor(_ origin: Origin) -> Bool { state.withLock { $0.origin == nil || $0.origin == origin } }

    /// A use of the current nonce.
    struct Use: Sendable {
        let challenge: DigestChallenge
        let clientNonce: String
        let count: UInt32
    }

    /// Nil when no nonce is known.
    func useOfKnownNonce() -> Use? { state.withLock { $0.session.use() } }

    /// Adopts the challenge, unless another call has done so.
    func use(of challenge: DigestChallenge) -> Use? {
        let clientNonce = makeClientNonce()
        return state.withLock { state in
            if state.session?.challenge.nonce != challenge.nonce || state.session?.challenge.realm != challenge.realm {
                state.session = DigestSession(challenge, clientNonce: clientNonce)
            }
            return state.session.use()
        }
    }

    /// The server rejected an answer that used `nonce`.
    func forget(_ nonce: String) {
        state.withLock { if $0.session?.challenge.nonce == nonce { $0.session = nil } }
    }

    /// The server announced the next nonce.
    func replace(_ nonce: String, by next: String) {
        state.withLock { state in
            guard var session = state.session, session.challenge.nonce == nonce, next != nonce else { return }
            state.session = session.adopt(nextNonce: next) ? session : nil
        }
    }

    /// `request` with new credentials.
    func authorized(_ request: Request, _ use: Use) throws(DigestChallenge.Problem) -> Request {
        let value = try credentials.authorization(
            for: use.challenge,
            DigestCredentials.Occasion(
                method: request.method.rawValue, target: request.url.target, body: request.body.bytesInMemory,
                count: use.count, clientNonce: use.clientNonce))
        var headers = request.headers
        headers.set(value, for: "Authorization")
        return Request(request, method: request.method, url: request.url, headers: headers, body: request.body)
    }
}

extension DigestSession? {
    fileprivate mutating func use() -> DigestAuthenticator.Use? {
        guard let count = self?.use(), let session = self else {
            self = nil
            return nil
        }
        return DigestAuthenticator.Use(
            challenge: session.challenge, clientNonce: session.clientNonce, count: count)
    }
}

extension RequestBody {
    /// The whole body; nil if it is not in memory.
    fileprivate var bytesInMemory: [UInt8]? {
        if case .data(let data) = content { return Array(data) }
        return isEmpty ? [] : nil
    }

    /// Whether the body can be sent a second time.
    var canAnswerChallenge: Bool { isReplayable }
}
