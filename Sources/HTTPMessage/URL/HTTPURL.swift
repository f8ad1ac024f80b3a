import HTTPSupport

/// An absolute `http` or `https` URL in the exact spelling that is sent (RFC 3986, RFC 9110 §4.2).
///
/// `HTTPURL(_:)` refuses ambiguous input: control characters, spaces, backslashes, broken percent escapes, other
/// schemes. It percent-encodes other characters as UTF-8 where required. Scheme and host become lower case, an
/// international host is converted to A-labels (UTS 46, non-transitional: `bücher.example` is `xn--bcher-kva.example`),
/// dot segments are resolved, and an empty path becomes `/`.
public struct HTTPURL: Sendable {
    /// Scheme, host and port: the scope of connections, credentials and cookies.
    public let origin: Origin
    /// The path and query of the request line. It starts with `/` and is percent-encoded.
    public let target: String
    /// The rare parts, which are never sent.
    private let extras: Extras?

    /// The user name and password of a URL, percent-decoded. Equality is by bytes; the printed form is masked.
    public struct Userinfo: Sendable, Hashable, Redacted {
        /// The part before the colon, decoded.
        public let user: String
        /// The part after the colon, decoded; empty if there is none.
        public let password: String

        /// By bytes: servers distinguish spellings that Unicode considers equal.
        public static func == (lhs: Userinfo, rhs: Userinfo) -> Bool {
            lhs.user.utf8.elementsEqual(rhs.user.utf8) && lhs.password.utf8.elementsEqual(rhs.password.utf8)
        }

        /// Always masked.
        public var description: String { Redaction.mask }
    }

    /// An object, so that copies of a URL without it cost nothing.
    private final class Extras: Sendable {
        let fragment: String?
        let userinfo: Userinfo?

        init(fragment: String?, userinfo: Userinfo?) {
            self.fragment = fragment
            self.userinfo = userinfo
        }
    }

    package init(origin: Origin, target: String, fragment: String? = nil, userinfo: Userinfo? = nil) {
        self.origin = origin
        self.target = target
        let hasExtras = fragment != nil || userinfo != nil
        extras = hasExtras ? Extras(fragment: fragment, userinfo: userinfo) : nil
    }

    /// What follows `#`, without it. Never sent.
    public var fragment: String? { extras?.fragment }
    /// The decoded part before `@`. It is not sent in the URL: a request turns it into Basic credentials.
    public var userinfo: Userinfo? { extras?.userinfo }

    /// `http` or `https`.
    public var scheme: Origin.Scheme { origin.scheme }
    /// In lower-case ASCII; an IPv6 address is in brackets.
    public var host: String { origin.host }
    /// The port, 1 to 65535: the scheme's default if the URL has none.
    public var port: Int { origin.port }

    /// The percent-encoded path.
    public var path: Substring { Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }) }

    /// The percent-encoded query without its `?`; nil when the URL has none.
    public var query: Substring? {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return target[target.utf8.index(after: mark)...]
    }

    /// The pairs of the query in order, decoded like a form: percent escapes, and a plus sign for a space.
    ///
    ///     try HTTPURL(callback).queryItems.first { $0.name == "code" }?.value
    public var queryItems: [QueryItem] { FormText.items(query ?? "") }

    /// The whole URL as it is sent, without userinfo and fragment.
    public var string: String { ByteWriter.string(longest: longestText) { write(to: &$0) } }

    /// The maximum number of bytes that `write(to:)` writes.
    package var longestText: Int { origin.longestText + target.utf8.count }

    package func write(to writer: inout ByteWriter) {
        origin.write(to: &writer)
        writer.append(target)
    }

    package func appendingQuery(_ items: [QueryItem]) -> HTTPURL {
        guard !items.isEmpty else { return self }
        let longer = Array(target.utf8).withUnsafeBufferPointer { Self.target($0, appending: items) }
        return HTTPURL(origin: origin, target: longer, fragment: fragment, userinfo: userinfo)
    }

    /// `bytes`, a valid target, with `items` added. The leading slash may be missing.
    static func target(_ bytes: UnsafeBufferPointer<UInt8>, appending items: [QueryItem]) -> String {
        let longest = items.reduce(bytes.count + 1) { $0 + 1 + $1.longestEncoding }
        // Written in one pass: a string that grows piece by piece is scanned for each piece.
        return ByteWriter.string(longest: longest) { writer in
            if bytes.first != UInt8(ascii: "/") { writer.append(UInt8(ascii: "/")) }
            writer.append(bytes)
            let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
            // No separator is needed between an empty query and the first item. A later question mark belongs to the
            // query.
            var (hasQuery, needsMark) = (mark != nil, mark != bytes.count - 1)
            for index in items.indices {
                if needsMark { writer.append(UInt8(ascii: hasQuery ? "&" : "?")) }
                (hasQuery, needsMark) = (true, true)
                items[index].write(to: &writer)
            }
        }
    }

    package func withoutUserinfo() -> HTTPURL {
        userinfo == nil ? self : HTTPURL(origin: origin, target: target, fragment: fragment)
    }

    package func withFragment(_ fragment: String?) -> HTTPURL {
        HTTPURL(origin: origin, target: target, fragment: fragment, userinfo: userinfo)
    }
}

extension HTTPURL: Hashable {
    public static func == (lhs: HTTPURL, rhs: HTTPURL) -> Bool {
        lhs.target == rhs.target && lhs.origin == rhs.origin && lhs.userinfo == rhs.userinfo
            && areIdentical(lhs.fragment, rhs.fragment)
    }

    private static func areIdentical(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return ASCII.areIdentical(one, other)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(target)
    }
}

extension HTTPURL: Redacted {
    /// The URL with secret-looking query values masked, followed by the readable form of A-labels in parentheses. A masked
    /// one is refused as the URL of a request; for the unmasked URL see `string`.
    public var description: String { changedDescription ?? string }

    /// The description of a URL with a query, parameters of its path or A-labels. Nil for any other: it is described by
    /// its own text, and the log makes no string of that.
    package var changedDescription: String? {
        let note = HostName.note(host)
        let hasParts = target.utf8.withContiguousStorageIfAvailable { target in
            target.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: ";") }
        }
        return note.isEmpty && hasParts == false ? nil : Redaction.url(self) + note
    }
}
