/// The marks of secret names: letter sequences that occur in no harmless word, and whole words.
///
/// Names and texts may be long and untrusted, so each byte is read a bounded number of times.
struct SecretMarks: Sendable {
    /// The marks of names. `pin` counts as a word and not in `shipping`; `key` counts anywhere.
    static let standard = SecretMarks(
        parts: [
            "assertion", "auth", "bearer", "code", "credential", "jwt", "key", "pass", "pwd", "saml", "secret",
            "session",
            "sessid", "sig", "token",
        ],
        words: ["hash", "hmac", "otp", "pin", "psk", "pw", "refresh", "sid", "ticket", "totp"])

    /// The marks of texts that are withheld.
    static let ofTexts = SecretMarks(parts: ["credential", "jwt", "passw", "secret", "token"], words: [])

    /// Indexed by first byte: most bytes begin no part.
    private let partsByFirst: [[[UInt8]]]
    private let words: Set<[UInt8]>

    private init(parts: [String], words: [String]) {
        var table = [[[UInt8]]](repeating: [], count: 256)
        for part in parts.map({ Array($0.utf8) }) { table[Int(part[0])].append(part) }
        partsByFirst = table
        self.words = Set(words.map { Array($0.utf8) })
    }

    /// Whether `name`, which may be percent-encoded, has one of the marks, in any case.
    func areIn(name: ArraySlice<UInt8>) -> Bool {
        let name = name.contains(UInt8(ascii: "%")) ? PercentEncoding.decoded(name).bytes : Array(name)
        let lowercased = name.map { ASCII.lowercased($0) }
        return hasPart(lowercased) || hasWord(name, lowercased)
    }

    /// Whether one of the parts occurs in `text`, in any case.
    func areIn(text: String) -> Bool { hasPart(text.utf8.map { ASCII.lowercased($0) }) }

    private func hasPart(_ text: [UInt8]) -> Bool {
        text.indices.contains { start in
            partsByFirst[Int(text[start])].contains { text[start...].starts(with: $0) }
        }
    }

    /// Splits `oneTimePin`, `one_time_pin` and `PIN2` into words. A word begins after a non-letter, at a capital after
    /// a small letter, and at a capital before a small letter.
    private func hasWord(_ name: [UInt8], _ lowercased: [UInt8]) -> Bool {
        func isSmall(_ index: Int) -> Bool { index < name.count && name[index] &- 0x61 < 26 }
        var start = 0
        for end in 0...name.count {
            let isLetter = end < name.count && ASCII.isLetter(name[end])
            let isCapital = isLetter && !isSmall(end)
            let isNew = isCapital && end > start && (isSmall(end - 1) || isSmall(end + 1))
            guard !isLetter || isNew else { continue }
            if words.contains(Array(lowercased[start..<end])) { return true }
            start = isLetter ? end : end + 1
        }
        return false
    }
}
