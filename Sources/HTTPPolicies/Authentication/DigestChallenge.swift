import HTTPSupport

/// A challenge of the Digest scheme (RFC 7616 §3.3) that can be answered.
struct DigestChallenge: Sendable, Hashable {
    /// The protected part of a request, by its name in qop.
    enum Protection: String, Sendable {
        /// The legacy form of RFC 2069, without qop.
        case legacy = ""
        /// Method and target.
        case auth
        /// Method, target and body.
        case authWithBody = "auth-int"
    }

    let realm: String
    var nonce: String
    let opaque: String?
    let algorithm: HashAlgorithm
    /// Whether the hash of the credentials is bound to the first nonce (`-sess`).
    let isSession: Bool
    /// Whether the challenge names an algorithm. If not, the response does not either.
    let namesAlgorithm: Bool
    let protections: Set<Protection>
    /// Whether it replaces a stale nonce, until that is accepted.
    var isStale: Bool
    let hashesUser: Bool
    let isUTF8: Bool

    /// Whether the body must be covered, and so be in memory.
    var needsBody: Bool { protections == [.authWithBody] }

    /// Why a challenge cannot be answered, as a phrase.
    struct Problem: Error, Sendable, Hashable {
        let reason: String

        static let missingBody = Problem(
            reason: "the server wants the body to be covered (qop=auth-int), and the body is not in memory")
    }

    init(_ challenge: AuthenticationChallenge) throws(Problem) {
        guard let realm = challenge.realm, let nonce = challenge["nonce"], !nonce.isEmpty else {
            let names = challenge.parameters.map(\.name).joined(separator: ", ")
            let what = challenge.realm == nil ? "no realm" : "no nonce"
            throw Problem(
                reason: "the server's challenge has \(what) (RFC 7616 §3.3); it "
                    + (names.isEmpty ? "is empty" : "has: \(names)"))
        }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge["opaque"]
        let name = challenge["algorithm"]
        (algorithm, isSession) = try Self.algorithm(name ?? "MD5")
        namesAlgorithm = name != nil
        protections = try Self.protections(challenge["qop"])
        isStale = Self.isTrue(challenge["stale"])
        hashesUser = Self.isTrue(challenge["userhash"])
        isUTF8 = ASCII.equalsIgnoringCase(challenge["charset"] ?? "", "UTF-8")
    }

    private static func isTrue(_ value: String?) -> Bool { ASCII.equalsIgnoringCase(value ?? "", "true") }

    private static func algorithm(_ name: String) throws(Problem) -> (HashAlgorithm, Bool) {
        for algorithm in HashAlgorithm.allCases {
            if ASCII.equalsIgnoringCase(name, algorithm.name) { return (algorithm, false) }
            if ASCII.equalsIgnoringCase(name, algorithm.name + "-sess") { return (algorithm, true) }
        }
        throw Problem(
            reason: "the server wants the algorithm \(name.debugDescription), which this client does not support")
    }

    private static func protections(_ options: String?) throws(Problem) -> Set<Protection> {
        let names = (options ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }
        // Some servers write qop="" for none.
        guard let options, !names.isEmpty else { return [.legacy] }
        let known = names.compactMap { Protection(rawValue: ASCII.lowercased($0)) }
        guard !known.isEmpty else {
            throw Problem(
                reason: "the server wants the protection (qop) \(options.debugDescription), which this client does not"
                    + " support")
        }
        return Set(known)
    }

    /// The strongest challenge that can be answered; of equal ones the first. Nil if there is no Digest challenge.
    /// Throws if there are, but none can be answered.
    static func strongest(
        of challenges: [AuthenticationChallenge], bodyIsInMemory: Bool = true,
        isAvailable: (HashAlgorithm) -> Bool = LibraryHash.isAvailable
    ) throws(Problem) -> DigestChallenge? {
        var best: DigestChallenge?
        var problem: Problem?
        for challenge in challenges where challenge.isScheme("Digest") {
            do throws(Problem) {
                let challenge = try DigestChallenge(challenge)
                guard isAvailable(challenge.algorithm) else {
                    throw Problem(reason: "no library in this process computes \(challenge.algorithm.name)")
                }
                guard bodyIsInMemory || !challenge.needsBody else { throw .missingBody }
                if best.map({ $0.algorithm < challenge.algorithm }) ?? true { best = challenge }
            } catch {
                problem = problem ?? error
            }
        }
        if best == nil, let problem { throw problem }
        return best
    }
}
