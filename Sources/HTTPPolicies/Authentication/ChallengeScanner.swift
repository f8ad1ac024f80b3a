/// Parses the list of challenges in one field (RFC 9110 §11.6.1). Commas separate both challenges and the parameters of
/// one challenge: a name before an equals sign is a parameter, any other begins a challenge.
///
/// Servers write these fields by hand, so what can have one meaning only is read: a missing comma, a value without
/// quotes that is no token, an empty value, and a missing quote at the end of the field.
struct ChallengeScanner {
    private var rest: ArraySlice<UInt8>
    private(set) var challenges: [AuthenticationChallenge] = []
    /// Where it stopped because it could not go on; nil if it has read the whole field.
    private(set) var unread: String?

    /// Stops at the first error.
    init(_ field: String) {
        rest = Array(field.utf8)[...]
        while skipCommas(), !rest.isEmpty {
            let start = rest
            guard let challenge = takeChallenge() else {
                unread = String(decoding: start, as: UTF8.self)
                return
            }
            challenges.append(challenge)
        }
    }

    private mutating func takeChallenge() -> AuthenticationChallenge? {
        guard let scheme = takeToken() else { return nil }
        // A scheme ends at a space, a comma or the end.
        guard rest.isEmpty || Self.isBlankOrComma(rest.first) else { return nil }
        skipSpace()
        if let token = takeBareToken() { return AuthenticationChallenge(scheme: scheme, token: token, parameters: []) }
        return takeParameters().map { AuthenticationChallenge(scheme: scheme, token: nil, parameters: $0) }
    }

    /// The parameters up to the next challenge or the end; nil if one cannot be read.
    private mutating func takeParameters() -> [AuthenticationChallenge.Parameter]? {
        var parameters: [AuthenticationChallenge.Parameter] = []
        var isBehindQuote = false
        while true {
            let start = rest
            _ = skipCommas()
            guard let name = takeName() else {
                rest = start
                // Between a quote and the next scheme there is a comma or a space.
                return !isBehindQuote || rest.isEmpty || Self.isBlankOrComma(rest.first) ? parameters : nil
            }
            isBehindQuote = rest.first == UInt8(ascii: "\"")
            guard let value = isBehindQuote ? takeQuoted() : takeUnquoted(of: name) else { return nil }
            parameters.append(AuthenticationChallenge.Parameter(name: name, value: value))
        }
    }

    /// A name with the equals sign and spaces behind it; nil, and nothing is taken, for anything else.
    private mutating func takeName() -> String? {
        let start = rest
        guard let name = takeToken(), skipSpace(), take(UInt8(ascii: "=")) else {
            rest = start
            return nil
        }
        skipSpace()
        return name
    }

    /// A value without quotes: to the next comma, parameter or scheme. Nil if it has a quote or a control character.
    private mutating func takeUnquoted(of name: String) -> String? {
        var words: [String] = []
        while true {
            let start = rest
            skipSpace()
            let word = rest.prefix { !Self.isBlankOrComma($0) }
            let text = String(decoding: word, as: UTF8.self)
            let isNext = !words.isEmpty && (takeName() != nil || Self.schemes.contains(ASCII.lowercased(text)))
            guard !word.isEmpty, !isNext else {
                rest = start
                break
            }
            guard !word.contains(where: { ASCII.isControl($0) || $0 == UInt8(ascii: "\"") }) else { return nil }
            rest = rest.dropFirst(word.count)
            words.append(text)
        }
        let value = words.joined(separator: " ")
        return ASCII.equalsIgnoringCase(name, "qop") ? value + takeOptions() : value
    }

    /// The further options of a qop without quotes, which commas separate.
    private mutating func takeOptions() -> String {
        var options = ""
        while true {
            let start = rest
            _ = skipCommas()
            guard let option = takeToken(), Self.options.contains(ASCII.lowercased(option)), skipSpace(),
                rest.isEmpty || rest.first == UInt8(ascii: ",")
            else {
                rest = start
                return options
            }
            options += "," + option
        }
    }

    private static let options: Set<String> = ["auth", "auth-int"]
    /// Those that may follow a value without quotes and comma.
    private static let schemes: Set<String> = ["basic", "bearer", "digest", "negotiate", "ntlm"]

    private static func isBlankOrComma(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || byte == 0x09
    }

    private mutating func takeToken() -> String? {
        let token = rest.prefix(while: ASCII.isTokenByte)
        guard !token.isEmpty else { return nil }
        rest = rest.dropFirst(token.count)
        return String(decoding: token, as: UTF8.self)
    }

    /// A token68, followed only by a comma or the end.
    private mutating func takeBareToken() -> String? {
        let characters = rest.prefix { ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~+/".utf8.contains($0) }
        let padding = rest.dropFirst(characters.count).prefix { $0 == UInt8(ascii: "=") }
        let behind = rest.dropFirst(characters.count + padding.count).drop { $0 == 0x20 || $0 == 0x09 }
        guard !characters.isEmpty, behind.isEmpty || behind.first == UInt8(ascii: ",") else { return nil }
        rest = behind
        return String(decoding: characters + padding, as: UTF8.self)
    }

    /// The unescaped text between quotes (RFC 9110 §5.6.4), or up to the end; nil if it has a control character.
    private mutating func takeQuoted() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let next = rest.popFirst() else { break }
                byte = next
            }
            guard !ASCII.isControl(byte) || byte == 0x09 else { return nil }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Always true, so that it can stand in a condition.
    @discardableResult
    private mutating func skipSpace() -> Bool {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        return true
    }

    /// Skips empty list elements too (RFC 9110 §5.6.1.2). Always true.
    private mutating func skipCommas() -> Bool {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
        return true
    }
}
