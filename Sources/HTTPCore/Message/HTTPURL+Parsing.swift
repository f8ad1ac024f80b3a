/// Why a text is no URL a request can be sent to. `description` is a phrase that fits behind the URL.
public struct URLProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

extension HTTPURL {
    /// Parses an absolute URL (RFC 3986 §4.3) and refuses whatever is ambiguous.
    public init(_ text: String) throws(URLProblem) { try self.init(text, spelling: .strict) }

    /// How to treat what a URL must not contain.
    enum Spelling {
        /// Written by this program: a space or a broken escape is a mistake to report.
        case strict
        /// Written by a server in a Location field, where such characters are common: encode what can be encoded.
        case fromServer
    }

    init(_ text: String, spelling: Spelling) throws(URLProblem) {
        try Self.refuseControls(in: text)
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon != text.startIndex,
            text[..<colon].utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { throw URLProblem("has no scheme: write it as https://host/path") }
        guard let scheme = Origin.Scheme(rawValue: ASCII.lowercased(text[..<colon])) else {
            throw URLProblem("has the scheme \"\(text[..<colon])\": only http and https can be requested")
        }
        let rest = text[text.utf8.index(after: colon)...]
        guard rest.hasPrefix("//") else { throw URLProblem("has no \"//\" behind the scheme") }
        try self.init(scheme: scheme, afterSlashes: rest.dropFirst(2), spelling: spelling)
    }

    /// The part behind `scheme://`.
    init(scheme: Origin.Scheme, afterSlashes rest: Substring, spelling: Spelling) throws(URLProblem) {
        let end = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let (userinfo, hostAndPort) = try Self.splitUserinfo(rest[..<end])
        let (host, port) = try Self.splitPort(hostAndPort)
        try Self.validateHost(host)
        let (pathAndQuery, fragment) = Self.splitFragment(rest[end...])
        self.init(
            origin: Origin(scheme: scheme, host: String(host), port: port),
            target: try PercentEncoding.target(pathAndQuery, spelling: spelling),
            fragment: fragment,
            userinfo: userinfo
        )
    }

    static func refuseControls(in text: String) throws(URLProblem) {
        if let control = text.utf8.first(where: ASCII.isControl) {
            throw URLProblem("contains the control character 0x\(String(control, radix: 16))")
        }
    }

    static func splitFragment(_ text: Substring) -> (Substring, String?) {
        guard let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return (text, nil) }
        return (text[..<hash], String(text[text.utf8.index(after: hash)...]))
    }

    private static func splitUserinfo(_ authority: Substring) throws(URLProblem) -> (Userinfo?, Substring) {
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return (nil, authority) }
        let info = authority[..<at]
        let colon = info.utf8.firstIndex(of: UInt8(ascii: ":"))
        let user = PercentEncoding.decode(info[..<(colon ?? info.endIndex)])
        let password = colon.map { PercentEncoding.decode(info[info.utf8.index(after: $0)...]) } ?? ""
        guard let user, let password, !(user + password).utf8.contains(where: ASCII.isControl) else {
            throw URLProblem("has user information that does not decode to text")
        }
        return (Userinfo(user: user, password: password), authority[authority.utf8.index(after: at)...])
    }

    private static func splitPort(_ text: Substring) throws(URLProblem) -> (Substring, Int?) {
        let hostEnd: Substring.Index
        if text.utf8.first == UInt8(ascii: "[") {
            guard let bracket = text.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw URLProblem("has an IPv6 address without its closing bracket")
            }
            hostEnd = text.utf8.index(after: bracket)
        } else {
            hostEnd = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        }
        let portText = text[hostEnd...]
        if portText.isEmpty || portText == ":" { return (text[..<hostEnd], nil) }
        let digits = portText.dropFirst()
        guard portText.utf8.first == UInt8(ascii: ":"), digits.utf8.allSatisfy(ASCII.isDigit), let port = Int(digits),
            (1...65535).contains(port)
        else { throw URLProblem("has the port \"\(digits)\": a port is a number from 1 to 65535") }
        return (text[..<hostEnd], port)
    }

    /// A registered name of letters, digits, `-`, `.`, `_`, `~` (or beyond ASCII: the engine applies IDNA), or an
    /// address in brackets.
    private static func validateHost(_ host: Substring) throws(URLProblem) {
        guard !host.isEmpty else { throw URLProblem("has no host") }
        if host.utf8.first == UInt8(ascii: "[") {
            let inner = host.dropFirst().dropLast()
            guard inner.utf8.contains(UInt8(ascii: ":")),
                inner.utf8.allSatisfy({ ASCII.isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { throw URLProblem("has \(host) for a host: only an IPv6 address stands in brackets") }
            return
        }
        for byte in host.utf8 where byte < 0x80 {
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) else {
                throw URLProblem("has \"\(Character(Unicode.Scalar(byte)))\" in its host \"\(host)\"")
            }
        }
    }
}
