extension Interceptor {
    /// Answers challenges of the Digest scheme (RFC 7616) with a user name and password.
    ///
    /// The first request is sent without credentials. A 401 with a Digest challenge is answered once, and later
    /// requests use its nonce at once. A second 401 is the result, unless it says that the nonce is stale. Of several
    /// algorithms the strongest is used: SHA-512-256, SHA-256, MD5, each with or without `-sess`. The body must be
    /// replayable, and is covered (`qop=auth-int`) only if the server requires it. For that it must be in memory: for a
    /// file or a stream the strongest of the other challenges is used. A challenge that cannot be answered is
    /// `.unsupported` with a reason. Name and password are used as UTF-8 without normalization.
    ///
    /// The credentials are for one origin. Requests and redirects to other origins get none. A request with an
    /// Authorization header is not changed. A redirect within the origin is challenged and answered separately, because
    /// an answer is valid for one target.
    ///
    /// - Parameters:
    ///   - user: The user name, without control characters and colons.
    ///   - password: The password, without control characters.
    ///   - origin: Where the credentials are sent: `Origin(scheme: .https, host: "printer.example")`.
    public static func digest(user: String, password: String, for origin: Origin) -> Interceptor {
        let authenticator = DigestAuthenticator(DigestCredentials(user: user, password: password), origin: origin)
        return Interceptor(DigestPolicy(authenticator, flaw: flaw(user: user, password: password)))
    }

    private static func flaw(user: String, password: String) -> String? {
        if user.utf8.contains(where: ASCII.isControl) { return "the user name for Digest has a control character" }
        if user.utf8.contains(UInt8(ascii: ":")) { return "the user name for Digest has a colon" }
        if password.utf8.contains(where: ASCII.isControl) { return "the password for Digest has a control character" }
        return nil
    }
}
