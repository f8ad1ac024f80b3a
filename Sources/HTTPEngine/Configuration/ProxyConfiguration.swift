import HTTPSupport

/// Chooses the proxy of each request.
public struct ProxyConfiguration: Sendable, Hashable {
    private enum Choice: Sendable, Hashable {
        case none
        case fixed(Proxy, excluding: ProxyExclusions)
        case environment(http: Variable, https: Variable, excluding: ProxyExclusions)
    }

    /// The setting of the environment for one scheme.
    private typealias Variable = Result<Proxy?, Unsupported>

    private let choice: Choice

    /// No proxy.
    public static let none = ProxyConfiguration(choice: .none)

    /// Sends everything through `proxy`, except to `exclusions`: host names, which include their subdomains, addresses,
    /// or CIDR blocks. Each may be limited to one port by `:port`; `*` excludes all. With any other text among them a
    /// `CurlTransport` cannot be made: `.unsupported`.
    public static func proxy(_ proxy: Proxy, excluding exclusions: [String] = []) -> ProxyConfiguration {
        ProxyConfiguration(choice: .fixed(proxy, excluding: ProxyExclusions(exclusions)))
    }

    /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. `HTTP_PROXY` is ignored, because in a CGI program
    /// it comes from the client.
    public static func environment(_ variables: [String: String]) -> ProxyConfiguration {
        environment { variables[$0] }
    }

    /// From the environment of this process: the default.
    public static var ownEnvironment: ProxyConfiguration { environment(ProcessEnvironment.value) }

    private static func environment(_ variable: (String) -> String?) -> ProxyConfiguration {
        func value(_ names: String...) -> (name: String, value: String)? {
            for name in names {
                if let value = variable(name), !value.isEmpty { return (name, value) }
            }
            return nil
        }
        let all = value("all_proxy", "ALL_PROXY")
        return ProxyConfiguration(
            choice: .environment(
                http: parsed(value("http_proxy") ?? all), https: parsed(value("https_proxy", "HTTPS_PROXY") ?? all),
                excluding: ProxyExclusions(list: value("no_proxy", "NO_PROXY")?.value ?? "")))
    }

    private static func parsed(_ found: (name: String, value: String)?) -> Variable {
        guard let found else { return .success(nil) }
        do { return .success(try Proxy(parsing: found.value)) } catch {
            let problem = "its value is not a proxy address: it \(error)"
            return .failure(Unsupported("the environment variable \(found.name)", problem))
        }
    }

    /// Its text for `ClientTrust`; nil for none.
    package var trustText: String? {
        switch choice {
        case .none: return nil
        case .fixed(let proxy, let exclusions): return "\(proxy.trustText) but \(exclusions.trustText)"
        case .environment(let http, let https, let exclusions):
            guard http != .success(nil) || https != .success(nil) else { return nil }
            return "\(Self.trustText(http)) \(Self.trustText(https)) but \(exclusions.trustText)"
        }
    }

    private static func trustText(_ variable: Variable) -> String {
        switch variable {
        case .success(let proxy): proxy?.trustText ?? "none"
        case .failure(let problem): "unusable: \(problem.feature)"
        }
    }

    package var withoutEnvironment: ProxyConfiguration { if case .environment = choice { .none } else { self } }

    /// The proxy for `origin`; nil for none.
    package func proxy(for origin: Origin) throws(Unsupported) -> Proxy? {
        switch choice {
        case .none: return nil
        case .fixed(let proxy, let exclusions):
            if let unusable = exclusions.unusable {
                let words = "it is not a host name, an address or a CIDR block, with or without a port from 1 to 65535"
                throw Unsupported("\(ASCII.quoted(unusable)) among the exclusions of the proxy", words)
            }
            return exclusions.contain(origin) ? nil : proxy
        case .environment(let http, let https, let exclusions):
            return exclusions.contain(origin) ? nil : try (origin.scheme == .http ? http : https).get()
        }
    }
}

/// A proxy: its address, its protocol, and the credentials that are sent only to it.
public struct Proxy: Sendable, Hashable {
    /// The protocol of a proxy.
    public enum Kind: String, Sendable, Hashable {
        /// HTTP in the clear: absolute targets for http, CONNECT for https (RFC 9110 §9.3.6).
        case http
        /// HTTP over TLS to the proxy.
        case https
        /// SOCKS 4: IPv4 addresses only, resolved locally.
        case socks4
        /// SOCKS 4a: the proxy resolves the host name.
        case socks4a
        /// SOCKS 5 (RFC 1928) with names resolved locally.
        case socks5
        /// SOCKS 5 with names resolved by the proxy.
        case socks5h
    }

    /// The protocol of the proxy.
    public let kind: Kind
    /// The host. An international name is converted to A-labels (UTS 46). An invalid name is kept, and calls through it
    /// fail.
    public let host: String
    /// The port, 1 to 65535.
    public let port: Int
    /// The user name for the proxy; nil sends no credentials.
    public let user: String?
    /// The password for the proxy, sent only to it.
    public let password: String?

    /// A proxy at `host` and `port`, over plain HTTP by default.
    public init(_ kind: Kind = .http, host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = (try? HostName.parsed(host[...])) ?? host
        self.port = port
        self.user = user
        self.password = password
    }

    /// Parses `[scheme://][user[:password]@]host[:port]`. The last @ ends the credentials, so a password may contain one
    /// as it is. Without a scheme it is an HTTP proxy. The default port is 443 for https and 1080 for all others, by
    /// the convention of `http_proxy`. Any other text is refused with `.invalidRequest`, whose reason says what is
    /// wrong, without the password.
    public init(_ text: String) throws(HTTPError) {
        do throws(URLProblem) { try self.init(parsing: text) } catch {
            // Whatever is before the last @ may belong to a password.
            let start = Self.schemeEnd(text).map { text.utf8.index($0, offsetBy: 3) } ?? text.startIndex
            let at = text[start...].utf8.lastIndex(of: UInt8(ascii: "@")) ?? start
            let shown = at == start ? text : text[..<start] + Redaction.mask + text[at...]
            throw HTTPError(error, of: shown, "proxy address")
        }
    }

    init(parsing text: String) throws(URLProblem) {
        let schemeEnd = Self.schemeEnd(text)
        let name = schemeEnd.map { ASCII.lowercased(text[..<$0]) } ?? "http"
        guard let kind = Kind(rawValue: name) else { throw URLProblem("has the unknown proxy scheme \"\(name)\"") }
        let rest = Self.escapingAtSigns(schemeEnd.map { Substring(text[$0...].utf8.dropFirst(3)) } ?? text[...])
        let authority = rest.utf8.prefix { !ASCII.endsAuthority($0) }
        guard ["", "/"].contains(rest[authority.endIndex...]) else {
            throw URLProblem(
                "has more than a host and a port: a proxy is written as http://proxy.example:3128, and a slash in a"
                    + " password as %2F")
        }
        let url = try HTTPURL(scheme: kind == .https ? .https : .http, afterSlashes: rest, spelling: .strict)
        let hasPort = Self.namesPort(authority)
        self.init(
            kind, host: url.host, port: hasPort ? url.port : (kind == .https ? 443 : 1080), user: url.userinfo?.user,
            password: url.userinfo?.password)
    }

    private static func schemeEnd(_ text: String) -> String.Index? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[colon...].utf8.starts(with: "://".utf8)
        else { return nil }
        return colon
    }

    /// The credentials end at the last @ (WHATWG URL, authority state); any other belongs to the password. A URL of a
    /// request is refused with two of them, because its host may be meant to mislead. That of a proxy is a setting, and
    /// passwords are often written into it as they are.
    private static func escapingAtSigns(_ rest: Substring) -> Substring {
        let authority = rest.utf8.prefix { !ASCII.endsAuthority($0) }
        guard let last = authority.lastIndex(of: UInt8(ascii: "@")) else { return rest }
        return rest[..<last].replacing("@", with: "%40") + rest[last...]
    }

    private static func namesPort(_ authority: Substring.UTF8View) -> Bool {
        let userinfoEnd = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
        let hostAndPort = Substring(authority[(userinfoEnd ?? authority.startIndex)...])
        guard let hostEnd = HTTPURL.hostEnd(of: hostAndPort) else { return false }
        return hostAndPort[hostEnd...].utf8.count > 1
    }

    /// Whether it gets the names of hosts. With the others they are resolved on this machine.
    package var resolvesNames: Bool {
        switch kind {
        case .http, .https, .socks4a, .socks5h: true
        case .socks4, .socks5: false
        }
    }

    /// The URL for the engine, without credentials.
    package var url: String { "\(kind.rawValue)://\(authority)" }

    package var authority: String { "\(bracketedHost):\(port)" }

    fileprivate var trustText: String { "\(url) \(user ?? "") \(password ?? "")" }

    private var bracketedHost: String {
        host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[") ? "[\(host)]" : host
    }
}

extension Proxy: Redacted {
    /// The address, with masked credentials.
    public var description: String {
        let credentials = user == nil && password == nil ? "" : Redaction.mask + "@"
        return ASCII.printable("\(kind.rawValue)://\(credentials)\(authority)") + HostName.note(host)
    }
}
