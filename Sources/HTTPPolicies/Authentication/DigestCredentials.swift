import HTTPSupport

/// User and password for the Digest scheme, with the pure functions that answer a challenge (RFC 7616 §3.4).
struct DigestCredentials: Sendable {
    let user: String
    let password: String

    /// The values that differ for each request.
    struct Occasion: Sendable {
        let method: String
        /// The request target: path and query.
        let target: String
        /// Nil for a body that is not in memory.
        let body: [UInt8]?
        /// The number of uses of the nonce, including this one.
        let count: UInt32
        let clientNonce: String
    }

    /// The value of the Authorization header.
    func authorization(for challenge: DigestChallenge, _ occasion: Occasion) throws(DigestChallenge.Problem) -> String {
        let protection = try protection(of: challenge, occasion)
        let response = try response(to: challenge, occasion, protection)
        var fields = try userFields(for: challenge)
        fields += [
            "realm=\(QuotedString.quoted(challenge.realm))", "nonce=\(QuotedString.quoted(challenge.nonce))",
            "uri=\(QuotedString.quoted(occasion.target))", "response=\"\(response)\"",
        ]
        if challenge.namesAlgorithm {
            fields.append("algorithm=\(challenge.algorithm.name)\(challenge.isSession ? "-sess" : "")")
        }
        if let opaque = challenge.opaque { fields.append("opaque=\(QuotedString.quoted(opaque))") }
        if protection != .legacy {
            fields += ["qop=\(protection.rawValue)", "nc=\(occasion.count.digits(8, radix: 16))"]
        }
        if protection != .legacy || challenge.isSession {
            fields.append("cnonce=\(QuotedString.quoted(occasion.clientNonce))")
        }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// Covers the body only if the server requires it.
    private func protection(
        of challenge: DigestChallenge, _ occasion: Occasion
    ) throws(DigestChallenge.Problem) -> DigestChallenge.Protection {
        guard challenge.needsBody else { return challenge.protections.contains(.auth) ? .auth : .legacy }
        guard occasion.body != nil else { throw .missingBody }
        return .authWithBody
    }

    private func response(
        to challenge: DigestChallenge, _ occasion: Occasion, _ protection: DigestChallenge.Protection
    ) throws(DigestChallenge.Problem) -> String {
        let hash = { (text: String) throws(DigestChallenge.Problem) in
            try Self.hash(challenge, FieldOctets.octets(text))
        }
        var secret = try hash("\(user):\(challenge.realm):\(password)")
        if challenge.isSession { secret = try hash("\(secret):\(challenge.nonce):\(occasion.clientNonce)") }
        var message = "\(occasion.method):\(occasion.target)"
        if protection == .authWithBody { message += ":" + (try Self.hash(challenge, occasion.body ?? [])) }
        let hashedMessage = try hash(message)
        if protection == .legacy { return try hash("\(secret):\(challenge.nonce):\(hashedMessage)") }
        let uses = "\(occasion.count.digits(8, radix: 16)):\(occasion.clientNonce):\(protection.rawValue)"
        return try hash("\(secret):\(challenge.nonce):\(uses):\(hashedMessage)")
    }

    private static func hash(_ challenge: DigestChallenge, _ bytes: [UInt8]) throws(DigestChallenge.Problem) -> String {
        guard let hash = LibraryHash.hexadecimal(challenge.algorithm, of: bytes) else {
            throw DigestChallenge.Problem(reason: "no library in this process computes \(challenge.algorithm.name)")
        }
        return hash
    }

    /// A user name beyond ASCII uses the extended notation if the server reads UTF-8 (RFC 8187).
    private func userFields(for challenge: DigestChallenge) throws(DigestChallenge.Problem) -> [String] {
        if challenge.hashesUser {
            let name = try Self.hash(challenge, FieldOctets.octets("\(user):\(challenge.realm)"))
            return ["username=\"\(name)\"", "userhash=true"]
        }
        if challenge.isUTF8, user.utf8.contains(where: { $0 >= 0x80 }) {
            return ["username*=UTF-8''\(PercentEncoding.component(user))"]
        }
        return ["username=\(QuotedString.quoted(user))"]
    }
}

extension DigestCredentials: Redacted {
    var description: String { Redaction.mask }
}
