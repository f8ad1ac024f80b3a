import HTTPSupport

/// Comparison and parsing of host names. A setting applies to its host in any spelling: any case or script, with or
/// without the root's trailing dot, an IPv6 address with or without brackets.
package enum HostName {
    /// The longest DNS name in bytes, without the trailing dot (RFC 1035 §2.3.4).
    package static let longest = 253
    package static let longestLabel = 63
    /// The length in bytes above which an international name is not processed. No valid name is that long.
    private static let longestSpelling = 1024

    /// The canonical form for comparison: lower-case ASCII without the trailing dot or brackets, an IPv6 address in its
    /// shortest form (RFC 5952). The form of an invalid name equals no host of a URL.
    package static func canonical(_ name: String) -> String {
        if isCanonical(name) { return name }
        guard isASCII(name) else {
            return (try? parsed(name[...])).map(canonical) ?? ASCII.lowercased(name)
        }
        let lowercased = ASCII.lowercased(name)
        if let address = IPAddress.bytes(of: lowercased), address.count == 16 { return IPAddress.text(of: address) }
        var bytes = lowercased.utf8[...]
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            bytes = bytes.dropFirst().dropLast()
        } else if bytes.last == UInt8(ascii: ".") {
            bytes = bytes.dropLast()
        }
        return String(Substring(bytes))
    }

    /// Whether both name the same host.
    package static func areEqual(_ one: String, _ other: String) -> Bool { canonical(one) == canonical(other) }

    /// Whether `name` is `domain` or a name below it; both in canonical form.
    package static func isName(_ name: String, in domain: String) -> Bool {
        let (name, domain) = (name.utf8, domain.utf8)
        guard name.count > domain.count else { return name.elementsEqual(domain) }
        let start = name.index(name.endIndex, offsetBy: -domain.count)
        return name[name.index(before: start)] == UInt8(ascii: ".") && name[start...].elementsEqual(domain)
    }

    /// Whether `name` needs no change, the common case.
    private static func isCanonical(_ name: String) -> Bool {
        name.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && ASCII.lowercased($0) == $0 }
            && name.utf8.last != UInt8(ascii: ".")
    }

    private static func isASCII(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}

extension HostName {
    /// The host that `text` names in a URL, in lower-case ASCII: a registered name of letters, digits, `-`, `.`, `_`
    /// and `~`, an IPv4 address of four decimal numbers, or an IPv6 address in brackets (RFC 3986 §3.2.2).
    ///
    /// A name beyond ASCII is converted to A-labels (UTS 46), and the result is held to the same rules: `127。0。0。1` is
    /// an address, and `／` does not become a slash.
    package static func parsed(_ text: Substring) throws(URLProblem) -> String {
        guard let first = text.utf8.first else { throw URLProblem("has no host") }
        if first == UInt8(ascii: "[") {
            if text.utf8.contains(UInt8(ascii: "%")),
                text.utf8.dropFirst().prefix(while: { $0 != UInt8(ascii: "%") }).contains(UInt8(ascii: ":"))
            {
                throw URLProblem(
                    "has an IPv6 address with a zone (RFC 6874), \(text), which cannot be requested: its name holds on one"
                        + " machine only; use a host name, or an address without a zone")
            }
            guard IPAddress.bytes(of: String(text))?.count == 16 else {
                throw URLProblem("has \(text) for a host: only an IPv6 address is written in brackets")
            }
            return ASCII.lowercased(text)
        }
        try refuseForbidden(in: text, spelled: text)
        let name = isASCII(text) ? ASCII.lowercased(text) : try converted(text)
        try check(name, spelled: text)
        return name
    }

    /// A host that is given outside a URL, always as ASCII, an IPv6 address in brackets. The bytes of an invalid name are
    /// percent-encoded, so that it equals no host of a URL.
    package static func ascii(_ name: String) -> String {
        if isASCII(name) {
            let lowercased = ASCII.lowercased(name)
            let isBare = name.utf8.first != UInt8(ascii: "[") && IPAddress.bytes(of: name)?.count == 16
            return isBare ? "[\(lowercased)]" : lowercased
        }
        return (try? parsed(name[...])) ?? PercentEncoding.encode(ASCII.lowercased(name)) { $0 < 0x80 }
    }

    /// Why a setting for `name` cannot apply to any host, such as one with a port or a `*`. Nil for a host, and for an IPv6
    /// address without brackets.
    package static func problem(_ name: String) -> URLProblem? {
        guard IPAddress.bytes(of: name)?.count != 16 else { return nil }
        do {
            _ = try parsed(name[...])
            return nil
        } catch { return error }
    }

    private static func converted(_ text: Substring) throws(URLProblem) -> String {
        guard text.utf8.count <= longestSpelling, !text.utf8.contains(0) else { throw tooLong(text.utf8.count) }
        let name: String
        do { name = try InternationalNames.ascii(String(text)) } catch {
            throw URLProblem("has the host \"\(text)\", \(error.description)")
        }
        guard isASCII(name) else { throw URLProblem("has the host \"\(text)\", which has no form in ASCII") }
        guard !name.isEmpty else { throw URLProblem("has a host of invisible characters only") }
        try refuseForbidden(in: name[...], spelled: text)
        return name
    }

    private static func refuseForbidden(in name: Substring, spelled text: Substring) throws(URLProblem) {
        for byte in name.utf8 where byte < 0x80 && !PercentEncoding.isUnreserved(byte) {
            if byte == 0x20 { throw URLProblem("contains a space in its host \(quoted(name, spelled: text))") }
            let character = Character(Unicode.Scalar(byte))
            throw URLProblem("has \"\(character)\" in its host \(quoted(name, spelled: text))")
        }
    }

    /// Checks the rules for an ASCII name.
    private static func check(_ name: String, spelled text: Substring) throws(URLProblem) {
        var rest = name.utf8[...]
        // A trailing dot means the root.
        if rest.count > 1, rest.last == UInt8(ascii: ".") { rest = rest.dropLast() }
        guard rest.count <= longest else { throw tooLong(rest.count) }
        for label in rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !label.isEmpty else {
                throw URLProblem(
                    "has the host \(quoted(name[...], spelled: text)) with nothing in front of one of its dots")
            }
            guard label.count <= longestLabel else {
                throw URLProblem(
                    "has a host with \(label.count) characters between two dots: no name has more than \(longestLabel)")
            }
        }
        guard !endsInNumber(rest) || IPAddress.ipv4(name) != nil else {
            throw URLProblem(
                "has the host \(quoted(name[...], spelled: text)): an IPv4 address is four numbers from 0 to 255, in"
                    + " decimal")
        }
    }

    private static func tooLong(_ count: Int) -> URLProblem {
        URLProblem("has a host of \(count) characters: no name has more than \(longest)")
    }

    /// Both forms if they differ.
    private static func quoted(_ name: Substring, spelled text: Substring) -> String {
        isASCII(text) || !isASCII(name) ? "\"\(text)\"" : "\"\(text)\", which is \"\(name)\" in ASCII"
    }

    /// Whether the last label is a number. No valid name ends in one, and systems interpret `127.1`, `0x7f000001` or
    /// `0177.0.0.1` differently: a filter could see another host than the connection.
    private static func endsInNumber(_ host: Substring.UTF8View) -> Bool {
        let start = host.lastIndex(of: UInt8(ascii: ".")).map { host.index(after: $0) } ?? host.startIndex
        let last = host[start...]
        guard let first = last.first, ASCII.isDigit(first) else { return false }
        let isHex = last.starts(with: "0x".utf8)
        return isHex ? last.dropFirst(2).allSatisfy(ASCII.isHexDigit) : last.allSatisfy(ASCII.isDigit)
    }
}

extension HostName {
    /// The readable form to print after a name in A-labels: ` (bücher.example)` for `xn--bcher-kva.example`, with or
    /// without a port. Empty for other names, and if the letters could mislead.
    package static func note(_ authority: String) -> String { unicode(authority).map { " (\($0))" } ?? "" }

    private static func unicode(_ authority: String) -> String? {
        // Most hosts have no A-labels, and every line of the log comes through here.
        let mayHaveLabels = authority.utf8.withContiguousStorageIfAvailable { $0.contains(UInt8(ascii: "x")) }
        guard mayHaveLabels ?? true else { return nil }
        let host = Substring(authority.utf8.prefix { $0 != UInt8(ascii: ":") })
        let labels = host.utf8.split(separator: UInt8(ascii: "."))
        guard labels.contains(where: { $0.starts(with: "xn--".utf8) }),
            let name = InternationalNames.unicode(String(host)), name.unicodeScalars.allSatisfy(isReadable),
            // A form that does not convert back imitates another name.
            let again = try? parsed(name[...]), again == host
        else { return nil }
        return name
    }

    /// Whether it is a letter, digit or mark written from left to right. Other characters reverse the text around them.
    private static func isReadable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "." || scalar == "-" || scalar == "_" { return true }
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            return ASCII.isPrintable(scalar)
        default: return false
        }
    }
}
