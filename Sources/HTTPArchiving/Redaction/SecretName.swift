/// Whether a name is that of a secret, for the archives of tests.
///
/// Printed text is masked by parts of words, because excessive masking does no harm there. In an archive it does:
/// `author` and `max_tokens` are data, and two searches with `keyword=` must stay different. The short marks therefore
/// count only as whole words. `key` and `code` count only beside a word that says what they open, or alone where no
/// such word is possible.
enum SecretName {
    /// In a URL or a form, where a lone `key` is an API key and a lone `code` one of OAuth.
    static func inQuery(_ name: some StringProtocol) -> Bool {
        let words = words(name)
        return isSecret(name, words) || words == ["key"] || words == ["code"]
    }

    /// In JSON and the like.
    static func inBody(_ name: some StringProtocol) -> Bool { isSecret(name, words(name)) }

    /// In a header field: by the rule for printed text, except for challenges and permissions, which are public.
    static func inHeader(_ name: String) -> Bool {
        let name = name.lowercased()
        if name == "www-authenticate" || name == "proxy-authenticate" || name.hasPrefix("access-control-") {
            return false
        }
        return name == "dpop" || name == "cookie" || name == "set-cookie" || Redaction.looksSecret(name[...])
    }

    private static let marks = [
        "apikey", "accesskey", "authcode", "authorization", "codeverifier", "credential", "jwt", "oauth", "passcode",
        "passphrase", "passw", "privatekey", "samlart", "samlrequest", "samlresponse", "secret", "sessid", "sessionid",
        "signature",
    ]
    private static let secretWords: Set<String> = [
        "assertion", "auth", "bearer", "csrf", "csrftoken", "hmac", "otp", "pass", "pin", "psk", "pw", "pwd", "refresh",
        "session", "sid", "sig", "ticket", "token", "tokens", "totp", "xsrf",
    ]
    /// Words that show that a key or code opens something.
    private static let openers: Set<String> = [
        "access", "account", "api", "auth", "backup", "client", "device", "encryption", "id", "license", "master",
        "private", "recovery", "security", "shared", "signing", "storage", "subscription", "user", "verification",
    ]

    private static func isSecret(_ name: some StringProtocol, _ words: [String]) -> Bool {
        // Counts of tokens are not tokens.
        if words.last == "tokens", words.count > 1, ["access", "refresh", "auth", "id"].allSatisfy({ $0 != words[0] }) {
            return false
        }
        let joined = words.joined()
        if marks.contains(where: joined.contains) || words.contains(where: secretWords.contains) { return true }
        if joined.hasSuffix("token") { return true }
        guard let last = words.last, ["key", "keys", "code", "codes"].contains(last) else { return false }
        return words.dropLast().contains(where: openers.contains)
    }

    /// `accessToken`, `access_token` and `X-Access-Token` have the same words.
    static func words(_ name: some StringProtocol) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for scalar in name.unicodeScalars {
            let isLetterOrDigit = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            let isUpper = scalar.properties.isUppercase
            if !isLetterOrDigit || (isUpper && wasLower) {
                if !word.isEmpty { words.append(word.lowercased()) }
                word = ""
            }
            if isLetterOrDigit { word.unicodeScalars.append(scalar) }
            wasLower = isLetterOrDigit && !isUpper
        }
        return word.isEmpty ? words : words + [word.lowercased()]
    }
}
