extension HTTPURL {
    package init(parsing text: String) throws(URLProblem) {
        if let plain = Self.plain(text) { self = plain } else { try self.init(text, spelling: .strict) }
    }

    /// The treatment of invalid characters in a URL.
    package enum Spelling: Sendable {
        /// For URLs given by the program: a space or a broken escape is an error.
        case strict
        /// For Location and Link fields and URLs in bodies, in which such characters are common: they are
        /// percent-encoded, and a broken escape stays.
        case fromServer
    }

    package init(_ text: String, spelling: Spelling) throws(URLProblem) {
        try Self.refuseControls(in: text)
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon != text.startIndex,
            text[..<colon].utf8.allSatisfy(ASCII.isSchemeByte)
        else { throw Self.noScheme }
        let rest = text[text.utf8.index(after: colon)...]
        guard let scheme = Origin.Scheme(rawValue: ASCII.lowercased(text[..<colon])) else {
            // `localhost:8080/path`: a host with its port, unless a server wrote it.
            if spelling == .strict, rest.utf8.first.map(ASCII.isDigit) == true { throw Self.noScheme }
            // `user:password@host`: the error repeats neither.
            guard
                !rest.utf8.contains(UInt8(ascii: "@")) || rest.utf8.starts(with: "//".utf8)
                    || ASCII.equalsIgnoringCase(text[..<colon], "mailto")
            else {
                let advice = spelling == .strict ? ": write it as https://host/path" : ""
                throw URLProblem("has neither http nor https for a scheme\(advice)")
            }
            throw URLProblem("has the scheme \"\(text[..<colon])\": only http and https can be requested")
        }
        guard rest.utf8.starts(with: "//".utf8) else { throw URLProblem("has no \"//\" after the scheme") }
        try self.init(scheme: scheme, afterSlashes: Substring(rest.utf8.dropFirst(2)), spelling: spelling)
    }

    private static let noScheme = URLProblem("has no scheme: write it as https://host/path")

    /// The part behind `scheme://`.
    package init(scheme: Origin.Scheme, afterSlashes rest: Substring, spelling: Spelling) throws(URLProblem) {
        let end = rest.utf8.firstIndex(where: ASCII.endsAuthority) ?? rest.endIndex
        let (userinfo, hostAndPort) = try Self.splitUserinfo(rest[..<end])
        if userinfo == nil, Redaction.cutsUserinfo(authority: hostAndPort, rest: rest[end...]) {
            // `user:pass/word@host`: the user name would be the host, and half of the password the port. The error must
            // not repeat it.
            throw URLProblem("has a /, ? or # in its user information: percent-encode it there")
        }
        let (host, port) = try Self.splitPort(hostAndPort)
        let (pathAndQuery, fragment) = Self.splitFragment(rest[end...])
        let origin = Origin(plainHost: try HostName.parsed(host), scheme: scheme, port: port)
        if spelling == .strict { try PercentEncoding.check(pathAndQuery) }
        self.init(
            origin: origin, target: PercentEncoding.target(pathAndQuery), fragment: fragment, userinfo: userinfo)
    }

    static func refuseControls(in text: String) throws(URLProblem) {
        guard let index = text.utf8.firstIndex(where: ASCII.isControl) else { return }
        throw URLProblem("contains the control character \(ASCII.hex(text.utf8[index]))", at: index, of: text[...])
    }

    static func splitFragment(_ text: Substring) -> (Substring, String?) {
        guard let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return (text, nil) }
        return (text[..<hash], String(text[text.utf8.index(after: hash)...]))
    }

    private static func splitUserinfo(_ authority: Substring) throws(URLProblem) -> (Userinfo?, Substring) {
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return (nil, authority) }
        let info = authority[..<at]
        try checkUserinfo(info)
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

    /// Parsers disagree on characters that RFC 3986 §3.2.1 does not allow in user information: some end the host at a
    /// backslash or at the first `@`. The error repeats nothing of a password.
    private static func checkUserinfo(_ info: Substring) throws(URLProblem) {
        guard let byte = info.utf8.first(where: { !PercentEncoding.isUserinfoByte($0) }) else { return }
        switch byte {
        case UInt8(ascii: "@"):
            throw URLProblem("has more than one @ in front of its path: write one that belongs to a password %40")
        case UInt8(ascii: "\\"):
            throw URLProblem("has a backslash in its user information, where some end the host: write it %5C")
        default:
            throw URLProblem("has a character in its user information that must be percent-encoded there")
        }
    }

    private static func splitPort(_ text: Substring) throws(URLProblem) -> (Substring, Int?) {
        guard IPAddress.bytes(of: String(text))?.count != 16 || text.utf8.first == UInt8(ascii: "[") else {
            throw URLProblem("has an IPv6 address without brackets: write [\(text)]")
        }
        guard let hostEnd = hostEnd(of: text) else {
            throw URLProblem("has an IPv6 address without its closing bracket")
        }
        let host = text[..<hostEnd]
        guard let separator = text[hostEnd...].utf8.first else { return (host, nil) }
        // It may be half of a password: the error repeats digits only.
        guard separator == UInt8(ascii: ":") else {
            throw URLProblem("has something other than a port after the bracket of its IPv6 address")
        }
        let digits = Substring(text[hostEnd...].utf8.dropFirst())
        if digits.isEmpty { return (host, nil) }
        guard digits.utf8.allSatisfy(ASCII.isDigit) else {
            throw URLProblem("has a port that is not a number: a port is a number from 1 to 65535")
        }
        guard let port = Int(digits), (1...65535).contains(port) else {
            throw URLProblem("has the port \"\(digits)\": a port is a number from 1 to 65535")
        }
        return (host, port)
    }

    /// The end of the host in an authority without user information; nil if its bracket is not closed.
    package static func hostEnd(of authority: Substring) -> Substring.Index? {
        guard authority.utf8.first == UInt8(ascii: "[") else {
            return authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        }
        return authority.utf8.firstIndex(of: UInt8(ascii: "]")).map { authority.utf8.index(after: $0) }
    }
}
