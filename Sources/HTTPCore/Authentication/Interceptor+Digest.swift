extension Interceptor {
    /// Answers the challenges of the Digest scheme (RFC 7616) with a user's name and password.
    ///
    /// The first request goes out without credentials. A 401 with a Digest challenge is answered, once, and the nonce
    /// it brought serves later requests at once; a second 401 is the call's response, unless it says that only the
    /// nonce is too old. Of several algorithms the strongest is taken: SHA-512-256, SHA-256, MD5, each with `-sess` or
    /// not. The body has to be sent a second time, and is covered (`qop=auth-int`) only where the server takes nothing
    /// less. A challenge that cannot be answered is `.unsupported` and says why. Name and password are taken as UTF-8
    /// as they are given, without normalization.
    ///
    /// The credentials are for one origin: the one given, else that of the first request. Requests to
    /// others, and hops of a redirect to others, get none. A request that has an Authorization header is left alone.
    /// A hop within the origin is challenged and answered for itself: an answer holds for one target only.
    ///
    /// - Parameters:
    ///   - user: Without control characters and colons.
    ///   - password: Without control characters.
    ///   - origin: Scheme, host and port that the credentials are for.
    public static func digest(user: String, password: String, for origin: Origin? = nil) -> Interceptor {
        digest(user: user, password: password, for: origin, makeClientNonce: randomNonce)
    }

    static func digest(
        user: String, password: String, for origin: Origin? = nil, makeClientNonce: @escaping @Sendable () -> String
    ) -> Interceptor {
        let authenticator = DigestAuthenticator(
            DigestCredentials(user: user, password: password), origin: origin, makeClientNonce: makeClientNonce)
        let flaw = flaw(user: user, password: password)
        return Interceptor(DigestPolicy(authenticator, flaw: flaw))
    }

    private static func flaw(user: String, password: String) -> String? {
        if user.utf8.contains(where: ASCII.isControl) { return "the user name for Digest has a control character" }
        if user.utf8.contains(UInt8(ascii: ":")) { return "the user name for Digest has a colon" }
        if password.utf8.contains(where: ASCII.isControl) { return "the password for Digest has a control character" }
        return nil
    }

    /// 128 random bits in hexadecimal.
    private static func randomNonce() -> String {
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return halves.map { String($0, radix: 16) }.joined(separator: "f")
    }
}
