/// Parses the list of challenges in one field (RFC 9110 §11.6.1). Commas separate both challenges and the parameters of
/// one challenge: a name before an equals sign is a parameter, any other begins a challenge.
struct ChallengeScanner {
    private var rest: ArraySlice<UInt8>

    init(_ field: String) { rest = Array(field.utf8)[...] }

    /// Stops at the first invalid token.
    mutating func challenges() -> [AuthenticationChallenge] {
        var found: [AuthenticationChallenge] = []
        while skipCommas(), let scheme = takeToken() {
            // A scheme ends at a space, a comma or the end.
            guard rest.first.map({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == 0x09 }) ?? true else {
                return found
            }
            skipSpace()
            if let token = takeBareToken() {
                found.append(AuthenticationChallenge(scheme: scheme, token: token))
                continue
            }
            guard let parameters = takeParameters() else { return found }
            found.append(AuthenticationChallenge(scheme: scheme, parameters: parameters))
        }
        return found
    }

    /// The parameters up to the next challenge or the end; nil if one is incomplete.
    private mutating func takeParameters() -> [AuthenticationChallenge.Parameter]? {
        var parameters: [AuthenticationChallenge.Parameter] = []
        while true {
            let start = rest
            _ = skipCommas()
            guard let name = takeToken(), skipSpace(), take(UInt8(ascii: "=")) else {
                rest = start
                return parameters
            }
            skipSpace()
            guard let value = rest.first == UInt8(ascii: "\"") ? takeQuoted() : takeToken(), skipSpace(),
                rest.isEmpty || rest.first == UInt8(ascii: ",")
            else { return nil }
            parameters.append(AuthenticationChallenge.Parameter(name: name, value: value))
        }
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

    /// The unescaped text between quotes (RFC 9110 §5.6.4); nil if it is unterminated or has a control character.
    private mutating func takeQuoted() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let next = rest.popFirst() else { return nil }
                byte = next
            }
            guard !ASCII.isControl(byte) || byte == 0x09 else { return nil }
            text.append(byte)
        }
        return nil
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
