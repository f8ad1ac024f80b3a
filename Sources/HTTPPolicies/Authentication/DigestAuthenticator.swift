import HTTPSupport

/// The state of one digest interceptor: the credentials, their origin, and the current nonce.
final class DigestAuthenticator: Sendable {
    private let credentials: DigestCredentials
    /// Where they are sent.
    let origin: Origin
    private let state = Locked(State())

    private struct State: Sendable {
        var session: DigestSession?
        /// The last ones before it, since a nonce may come back: its count goes on (RFC 7616 §3.4).
        var past: [DigestSession] = []

        /// Counts one more use. Nil if no nonce is known, or if its counter is exhausted.
        mutating func use() -> DigestSession? {
            if session?.count == .max { session = nil }
            session?.count += 1
            return session
        }

        mutating func begin(_ next: DigestSession?) {
            if let session { past.append(session) }
            if past.count > 8 { past.removeFirst() }
            session = next
        }
    }

    init(_ credentials: DigestCredentials, origin: Origin) {
        self.credentials = credentials
        self.origin = origin
    }

    /// Nil when no nonce is known, or none for such a body: the server may offer another challenge. One that replaces a
    /// stale nonce is left to the calls that got it until the server accepts it: if it is for one use, a call that begins
    /// could take it, and do so each time.
    func useOfKnownNonce(bodyIsInMemory: Bool = true, isReplayable: Bool = true) -> DigestSession? {
        state.withLock { state in
            // A body that can be sent only once could not answer a challenge.
            guard let challenge = state.session?.challenge, !challenge.isStale || !isReplayable else { return nil }
            return bodyIsInMemory || !challenge.needsBody ? state.use() : nil
        }
    }

    /// Adopts the challenge, unless another call has done so.
    func use(of challenge: DigestChallenge) -> DigestSession? {
        state.withLock { state in
            if state.session?.challenge.nonce != challenge.nonce || state.session?.challenge.realm != challenge.realm {
                let place = state.past.firstIndex {
                    $0.challenge.nonce == challenge.nonce && $0.challenge.realm == challenge.realm
                }
                var session = place.map { state.past.remove(at: $0) }
                session?.challenge = challenge
                state.begin(session ?? DigestSession(challenge: challenge, clientNonce: Self.randomNonce()))
            }
            return state.use()
        }
    }

    /// 128 random bits in hexadecimal.
    private static func randomNonce() -> String {
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return halves.map { String($0, radix: 16) }.joined(separator: "f")
    }

    /// The server rejected an answer that used `nonce`.
    func forget(_ nonce: String) {
        state.withLock { if $0.session?.challenge.nonce == nonce { $0.begin(nil) } }
    }

    /// The server accepted an answer that used `nonce`, and may have announced the next one (RFC 7616 §3.5). For a
    /// `-sess` algorithm it is not specified which nonce then binds the credentials, so the session ends.
    func accept(_ nonce: String, next: String?) {
        state.withLock { state in
            guard var session = state.session, session.challenge.nonce == nonce else { return }
            session.challenge.isStale = false
            let continues = next == nil || next == nonce
            if let next, !continues { (session.challenge.nonce, session.count) = (next, 0) }
            state.session = continues || !session.challenge.isSession ? session : nil
        }
    }

    /// `request` with new credentials.
    func authorized(_ request: Request, _ use: DigestSession) throws(DigestChallenge.Problem) -> Request {
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

/// A nonce in use, with its count and its client nonce; a copy of it is one use. The client nonce does not change, so that
/// a `-sess` algorithm hashes the credentials the same way each time.
struct DigestSession: Sendable {
    var challenge: DigestChallenge
    let clientNonce: String
    /// The number of uses so far, including this one.
    var count: UInt32 = 0
}

extension RequestBody {
    var isInMemory: Bool { if case .data = content { true } else { isEmpty } }

    /// The whole body; nil if it is not in memory.
    fileprivate var bytesInMemory: [UInt8]? {
        if case .data(let data) = content { return Array(data) }
        return isEmpty ? [] : nil
    }
}
