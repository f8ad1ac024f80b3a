/// Names and passwords for hosts, as the file `.netrc` keeps them.
///
/// Nothing is read unless a program asks for it: no request takes from a netrc file by itself.
///
///     let netrc = try Netrc(contentsOf: home + "/.netrc")
///     client.executeRequest(.get("https://internal.example/") |> .netrc(netrc))
public struct Netrc: Sendable, Hashable {
    /// The login and the password of one machine.
    public struct Credentials: Sendable, Hashable {
        /// The user name.
        public let login: String
        /// The password, in plain text: printing a `Netrc` never shows it.
        public let password: String
    }

    struct Entry: Sendable, Hashable {
        /// In canonical form; nil for `default`.
        let machine: String?
        var login: String?
        var password: String?
    }

    let entries: [Entry]

    /// Reads the text of a netrc file. Throws where it breaks off or has a word that means nothing, and names the line.
    ///
    /// Words are separated by blanks and line ends. A word may stand in double quotes, in which `\"`, `\\`, `\n`, `\r`
    /// and `\t` are escapes. A `#` at the start of a word begins a comment that ends with the line; a name or password
    /// that begins so has to be quoted, and is an error otherwise. `account` is read and not used, `macdef` is skipped
    /// up to the next empty line.
    public init(parsing text: String) throws(NetrcProblem) { entries = try NetrcParser(text).entries() }

    /// The first entry for the host that has a login or a password, else the first `default`; nil for none.
    ///
    /// - Parameters:
    ///   - host: Compared without case. The port does not count: netrc knows none.
    ///   - login: Takes only an entry for this name.
    public func credentials(for host: String, login: String? = nil) -> Credentials? {
        let host = HostName.canonical(host)
        let fitting = entries.filter { entry in
            (entry.login != nil || entry.password != nil) && (login == nil || entry.login == login)
        }
        guard let entry = fitting.first(where: { $0.machine == host }) ?? fitting.first(where: { $0.machine == nil })
        else { return nil }
        return Credentials(login: entry.login ?? "", password: entry.password ?? "")
    }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// How many entries there are, and none of them.
    public var description: String { "Netrc with \(entries.count) entries" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }
}

extension Netrc.Credentials: CustomStringConvertible, CustomReflectable {
    /// Redactor: it is only there to be secret.
    public var description: String { Redaction.mask }

    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }
}
