/// User names and passwords of hosts, from a `.netrc` file.
///
/// The file is read only by this type; no request reads a netrc file by itself.
///
///     let netrc = try Netrc(contentsOf: home + "/.netrc")
///     client.executeRequest(.get("https://internal.example/") |> .netrc(netrc))
public struct Netrc: Sendable, Hashable {
    /// The login and the password of one machine.
    public struct Credentials: Sendable, Hashable {
        /// The user name.
        public let login: String
        /// The password, in plain text. Printing a `Netrc` never shows it.
        public let password: String
    }

    struct Entry: Sendable, Hashable {
        /// The host in canonical form; nil for `default`.
        let machine: String?
        var login: String?
        var password: String?
    }

    let entries: [Entry]

    /// Parses the text of a netrc file. Throws with the line number if it is truncated or contains an unknown word.
    ///
    /// Words are separated by white space. A word may be in double quotes, with the escapes `\"`, `\\`, `\n`, `\r` and
    /// `\t`. A `#` at the start of a word begins a comment up to the end of the line; a name or password that begins
    /// with `#` must be quoted, and is an error otherwise. `account` is ignored, and `macdef` is skipped up to the next
    /// empty line.
    public init(parsing text: String) throws(NetrcProblem) { entries = try NetrcParser(text).entries() }

    /// The first entry for the host that has a login or a password, otherwise the first `default`; nil for none.
    ///
    /// - Parameters:
    ///   - host: Compared without case. The port does not matter: netrc has none.
    ///   - login: Restricts the search to this name.
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

extension Netrc: Redacted {
    /// The number of entries, without their contents.
    public var description: String { "Netrc with \(entries.count) entries" }
}

extension Netrc.Credentials: Redacted {
    /// Masked, since the whole value is secret.
    public var description: String { Redaction.mask }
}

/// Why a netrc file cannot be used. The file's contents are not repeated, because any word may be a password.
public struct NetrcProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
