/// Masks secrets in printed text: headers by an allow-list, query values by their names.
package enum Redaction {
    package static let mask = "<redacted>"

    private static let printableHeaders: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-patch", "accept-post",
        "accept-ranges", "access-control-allow-credentials", "access-control-allow-headers",
        "access-control-allow-methods", "access-control-allow-origin", "access-control-expose-headers",
        "access-control-max-age", "access-control-request-headers", "access-control-request-method", "age", "allow",
        "alt-svc", "cache-control", "cache-status", "connection", "content-disposition", "content-encoding",
        "content-language", "content-length", "content-range", "content-type", "date", "deprecation", "etag", "expect",
        "expires", "grpc-accept-encoding", "grpc-encoding", "grpc-status", "host", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since",
        "keep-alive", "last-modified", "origin", "priority", "proxy-status", "range", "ratelimit", "ratelimit-limit",
        "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset", "request-id", "retry-after", "server",
        "server-timing", "strict-transport-security", "sunset", "te", "traceparent", "trailer", "transfer-encoding",
        "upgrade", "user-agent", "vary", "via", "x-content-type-options", "x-correlation-id", "x-ratelimit-limit",
        "x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-resource", "x-ratelimit-used", "x-request-id",
    ]

    /// The printable form of the field `name`. `shown` lists further allowed names, in lower case.
    package static func headerValue(_ value: String, of name: String, showing shown: Set<String> = []) -> String {
        let name = ASCII.lowercased(name)
        if printableHeaders.contains(name) || shown.contains(name) { return value }
        return name == "link" ? links(value) : mask
    }

    /// A Link field (RFC 8288 §3): URLs in angle brackets, with their parameters.
    private static func links(_ value: String) -> String {
        // By bytes: Unicode joins a `<` with a following combining mark.
        value.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).enumerated()
            .map { index, part -> String in
                guard index > 0 else { return String(Substring(part)) }
                let end = part.firstIndex(of: UInt8(ascii: ">")) ?? part.endIndex
                return urlText(String(Substring(part[..<end]))) + Substring(part[end...])
            }.joined(separator: "<")
    }

    /// The URL without userinfo and fragment, secret-looking query values masked.
    package static func url(_ url: HTTPURL) -> String { "\(url.origin)" + withoutSecrets(url.target[...]) }

    /// The same for text that may not be a URL. Anything in the place of user information is masked, and so is an
    /// invalid port: `http://admin:secret` is a truncated URL.
    ///
    /// It works on bytes, so that a combining mark cannot hide an `@`.
    package static func urlText(_ text: String) -> String {
        guard let start = authorityStart(text) else { return opaqueText(text) }
        let end = text[start...].utf8.firstIndex(where: ASCII.endsAuthority) ?? text.endIndex
        let isCut = cutsUserinfo(authority: text[start..<end], rest: text[end...])
        guard let at = text[start..<(isCut ? text.endIndex : end)].utf8.lastIndex(of: UInt8(ascii: "@")) else {
            return text[..<start] + withoutSecrets(authority: text[start...])
        }
        return text[..<start] + mask + "@" + withoutSecrets(authority: text[text.utf8.index(after: at)...])
    }

    /// Text without a host, or with a misplaced one.
    private static func opaqueText(_ text: String) -> String {
        if let at = text.utf8.lastIndex(of: UInt8(ascii: "@")), text[..<at].utf8.contains(UInt8(ascii: ":")) {
            return mask + "@" + withoutSecrets(authority: text[text.utf8.index(after: at)...])
        }
        let scheme = ["http:", "https:"].first { ASCII.lowercased(text).utf8.starts(with: $0.utf8) } ?? ""
        let behind = text.utf8.dropFirst(scheme.utf8.count)
        // One slash, or backslashes, instead of two.
        let rest = Substring(scheme.isEmpty ? behind : behind.drop { $0 == UInt8(ascii: "/") || $0 == 0x5C })
        return text[..<rest.startIndex] + withoutSecrets(authority: rest)
    }

    /// The text without secrets; it begins with a host and perhaps a port.
    private static func withoutSecrets(authority text: Substring) -> String {
        let end = text.utf8.firstIndex(where: ASCII.endsAuthority) ?? text.endIndex
        let hostEnd = HTTPURL.hostEnd(of: text[..<end]) ?? end
        let port = text[hostEnd..<end].utf8
        guard port.dropFirst().allSatisfy(ASCII.isDigit), port.first ?? UInt8(ascii: ":") == UInt8(ascii: ":") else {
            return text[..<hostEnd] + ":" + mask + withoutSecrets(text[end...])
        }
        return text[..<end] + withoutSecrets(text[end...])
    }

    /// Whether a `/`, `?` or `#` seems to cut user information short: the part before it looks like a host with an
    /// invalid port, and an `@` follows.
    static func cutsUserinfo(authority: Substring, rest: Substring) -> Bool {
        guard rest.utf8.contains(UInt8(ascii: "@")), !authority.utf8.contains(UInt8(ascii: "@")) else { return false }
        // An IPv6 address contains colons.
        let isAddress = authority.utf8.first == UInt8(ascii: "[")
        let host =
            isAddress ? authority.utf8.firstIndex(of: UInt8(ascii: "]")) ?? authority.startIndex : authority.startIndex
        guard let colon = authority[host...].utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return !authority[colon...].utf8.dropFirst().allSatisfy(ASCII.isDigit)
    }

    /// The index after the `//` that begins the text or follows its scheme.
    private static func authorityStart(_ text: String) -> String.Index? {
        let rest = text.utf8.drop(while: ASCII.isSchemeByte)
        let hierarchy = rest.first == UInt8(ascii: ":") ? rest.dropFirst() : text.utf8[...]
        return hierarchy.starts(with: "//".utf8) ? hierarchy.index(hierarchy.startIndex, offsetBy: 2) : nil
    }

    private static func withoutSecrets(_ text: Substring) -> String {
        let shown = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = shown.firstIndex(of: UInt8(ascii: "?")) else { return maskedPath(Substring(shown)) }
        return maskedPath(text[..<mark]) + "?" + maskedQuery(Substring(shown[mark...].dropFirst()))
    }

    /// A path with the values of secret-looking parameters masked, such as `;jsessionid=…` (RFC 3986 §3.3).
    private static func maskedPath(_ path: Substring) -> String {
        guard path.utf8.contains(UInt8(ascii: ";")) else { return String(path) }
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
            segment.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).enumerated()
                .map { index, part in
                    let name = part.prefix { $0 != UInt8(ascii: "=") }
                    let isSecret = index > 0 && name.endIndex < part.endIndex && looksSecret(Substring(name))
                    return isSecret ? Substring(name) + "=" + mask : String(Substring(part))
                }.joined(separator: ";")
        }.joined(separator: "/")
    }

    /// A query or form with secret-looking values masked, in one pass over the bytes: those with such a name, and a URL or
    /// JSON with a secret in it. A second `?` belongs to the query (RFC 3986 §3.4), but is treated as a separator, because
    /// parameters may have been appended after it.
    package static func maskedQuery(_ query: Substring) -> String { maskedQuery(query, depth: 0) }

    /// - Parameter depth: The number of URLs in whose queries this one is.
    private static func maskedQuery(_ query: Substring, depth: Int) -> String {
        let bytes = Array(query.utf8)
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var start = 0
        while start <= bytes.count {
            let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") } ?? bytes.count
            let equals = bytes[start..<end].firstIndex(of: UInt8(ascii: "="))
            if let equals,
                SecretMarks.standard.areIn(name: bytes[start..<equals])
                    || holdsSecret(bytes[(equals + 1)..<end], depth: depth)
            {
                shown += bytes[start...equals]
                shown += mask.utf8
            } else {
                shown += bytes[start..<end]
            }
            if end < bytes.count { shown.append(bytes[end]) }
            start = end + 1
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Whether the value of a query item is a URL with user information, or has an item or a member of JSON with a
    /// secret-looking name, as the address that a login leads back to may, whole or relative.
    package static func holdsSecret<Bytes: Collection<UInt8>>(_ value: Bytes, depth: Int = 0) -> Bool
    where Bytes.SubSequence == Bytes {
        // Most values are words and numbers. What is no valid query may have JSON as it is.
        guard value.contains(where: { "/%{;".utf8.contains($0) }) else { return false }
        // What is nested deeper is masked: a server may nest addresses as deep as it likes.
        guard depth < 4 else { return true }
        let bytes = PercentEncoding.decoded(value).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        if text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "[") { return namesSecret(text) }
        // The items of a relative address. Some servers separate items by `;`, too.
        for item in bytes.split(whereSeparator: { "?#&;".utf8.contains($0) }) {
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            if name.endIndex < item.endIndex, SecretMarks.standard.areIn(name: name) { return true }
        }
        guard let start = authorityStart(text) else { return false }
        let end = text[start...].utf8.firstIndex(where: ASCII.endsAuthority) ?? text.endIndex
        if text[start..<end].utf8.contains(UInt8(ascii: "@")) { return true }
        // A fragment is read like a query.
        let parts = text[end...].utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        return parts.dropFirst().contains { !maskedQuery(Substring($0), depth: depth + 1).utf8.elementsEqual($0) }
    }

    /// Whether a body must not be shown: it is unknown which part of it belongs to a name that looks secret.
    package static func withholds(_ body: String) -> Bool {
        mentionsSecret(body) || namesSecret(body) || hasSecret(inJSON: body)
    }

    /// Whether a name in a JSON text looks like that of a secret, a string followed by a colon; or whether another string
    /// has a secret as a URL may.
    package static func hasSecret(inJSON text: String) -> Bool {
        var rest = text.utf8[...]
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            rest = rest[quote...].dropFirst()
            let start = rest.startIndex
            while let byte = rest.first, byte != UInt8(ascii: "\"") {
                rest = rest.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
            }
            let string = Array(text.utf8[start..<rest.startIndex])[...].unescaped
            rest = rest.dropFirst()
            let next = rest.first { $0 > 0x20 }
            if next == UInt8(ascii: ":"), SecretMarks.standard.areIn(name: string) { return true }
            if holdsSecret(string) { return true }
        }
        return false
    }

    /// Whether a text contains a secret-looking name, as a JSON body with a token does.
    package static func mentionsSecret(_ text: String) -> Bool { SecretMarks.ofTexts.areIn(text: text) }

    /// Whether a name, or any word of a text, is that of a secret.
    package static func looksSecret(_ name: Substring) -> Bool {
        SecretMarks.standard.areIn(name: Array(name.utf8)[...])
    }

    /// Whether a word before a `:`, `=` or `>` looks secret, as in JSON, forms and XML, or a URL has user information.
    package static func namesSecret(_ text: String) -> Bool {
        if hasUserinfo(text) { return true }
        let bytes = Array(text.utf8)
        var place = 0
        while let start = bytes[place...].firstIndex(where: isNameByte) {
            place = bytes[start...].firstIndex { !isNameByte($0) } ?? bytes.count
            let next = bytes[place...].first { !isQuoteOrSpace($0) }
            guard let next, next == UInt8(ascii: ":") || next == UInt8(ascii: "=") || next == UInt8(ascii: ">") else {
                continue
            }
            if SecretMarks.standard.areIn(name: bytes[start..<place]) { return true }
        }
        return false
    }

    /// Whether a URL in a text has user information, or the start of it at the end of the text, which may be cut off.
    package static func hasUserinfo(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return authorities(in: bytes).contains { place in
            if bytes[place].contains(UInt8(ascii: "@")) { return true }
            let rest = bytes[place.upperBound...]
            guard rest.isEmpty || rest.elementsEqual(" …".utf8) else { return false }
            return bytes[place].drop { $0 != UInt8(ascii: ":") }.contains(where: ASCII.isLetter)
        }
    }

    /// The authorities of the URLs in a text. JSON may have escaped their slashes.
    package static func authorities(in bytes: [UInt8]) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var next = bytes.next(UInt8(ascii: ":"), from: 0)
        while let colon = next {
            let slashes = bytes[(colon + 1)...].prefix { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            var end = slashes.endIndex
            if slashes.count(where: { $0 == UInt8(ascii: "/") }) == 2 {
                end = bytes[end...].firstIndex { $0 <= 0x20 || #"/?#<>"'\"#.utf8.contains($0) } ?? bytes.count
                places.append(slashes.endIndex..<end)
            }
            next = bytes.next(UInt8(ascii: ":"), from: end)
        }
        return places
    }

    private static func isQuoteOrSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "_-.%".utf8.contains(byte)
    }
}

/// A value that may hold a secret: it prints as its description, and so it does in `dump` and in the mirrors of values
/// that contain it.
package protocol Redacted: CustomStringConvertible, CustomReflectable {
    /// What a mirror has beside the description, without secrets.
    var shownParts: [Mirror.Child] { get }
}

extension Redacted {
    package var shownParts: [Mirror.Child] { [] }

    public var customMirror: Mirror {
        Mirror(self, children: [("description", description)] + shownParts, displayStyle: .struct)
    }
}
