/// Why a text is no URL a request can be sent to. `description` is a phrase that fits behind the URL.
public struct URLProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

extension HTTPURL {
    /// Parses an absolute URL (RFC 3986 §4.3) and refuses whatever is ambiguous.
    public init(_ text: String) throws(URLProblem) {
        if let plain = Self.plain(text) { self = plain } else { try self.init(text, spelling: .strict) }
    }

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
            text[..<colon].utf8.allSatisfy(ASCII.isSchemeByte)
        else { throw Self.noScheme }
        let rest = text[text.utf8.index(after: colon)...]
        guard let scheme = Origin.Scheme(rawValue: ASCII.lowercased(text[..<colon])) else {
            // `localhost:8080/path`: a host with its port.
            if rest.utf8.first.map(ASCII.isDigit) == true { throw Self.noScheme }
            throw URLProblem("has the scheme \"\(text[..<colon])\": only http and https can be requested")
        }
        guard rest.hasPrefix("//") else { throw URLProblem("has no \"//\" behind the scheme") }
        try self.init(scheme: scheme, afterSlashes: rest.dropFirst(2), spelling: spelling)
    }

    private static let noScheme = URLProblem("has no scheme: write it as https://host/path")

    /// The part behind `scheme://`.
    init(scheme: Origin.Scheme, afterSlashes rest: Substring, spelling: Spelling) throws(URLProblem) {
        let end = rest.utf8.firstIndex(where: ASCII.endsAuthority) ?? rest.endIndex
        let (userinfo, hostAndPort) = try Self.splitUserinfo(rest[..<end])
        if userinfo == nil { try Self.refuseCutUserinfo(authority: hostAndPort, behind: rest[end...]) }
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
        if let control = ASCII.firstControl(in: text) {
            throw URLProblem("contains the control character \(ASCII.hex(control))")
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
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw URLProblem("has a user name with a colon in it, which Basic credentials cannot carry")
        }
        let hasNone = user.isEmpty && password.isEmpty
        let rest = authority[authority.utf8.index(after: at)...]
        return (hasNone ? nil : Userinfo(user: user, password: password), rest)
    }

    /// `user:pass/word@host` would make a host of the user name and a port of half the password: say what is wrong
    /// without repeating it.
    private static func refuseCutUserinfo(authority: Substring, behind rest: Substring) throws(URLProblem) {
        guard Redaction.cutsUserinfo(authority: authority, rest: rest) else { return }
        throw URLProblem("has a /, ? or # in its user information: percent-encode it there")
    }

    private static func splitPort(_ text: Substring) throws(URLProblem) -> (Substring, Int?) {
        let hostEnd: Substring.Index
        if text.utf8.first == UInt8(ascii: "[") {
            guard let bracket = text.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw URLProblem("has an IPv6 address without its closing bracket")
            }
            hostEnd = text.utf8.index(after: bracket)
            guard hostEnd == text.endIndex || text.utf8[hostEnd] == UInt8(ascii: ":") else {
                throw URLProblem("has \"\(text[hostEnd...])\" behind the bracket of its IPv6 address")
            }
        } else {
            hostEnd = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        }
        let portText = text[hostEnd...]
        if portText.isEmpty || portText == ":" { return (text[..<hostEnd], nil) }
        let digits = portText.dropFirst()
        guard digits.utf8.allSatisfy(ASCII.isDigit), let port = Int(digits), (1...65535).contains(port)
        else { throw URLProblem("has the port \"\(digits)\": a port is a number from 1 to 65535") }
        return (text[..<hostEnd], port)
    }
}
