/// Finds the public key in a certificate, of which a `PublicKeyPin` is the hash.
enum CertificateKey {
    /// The SubjectPublicKeyInfo of a certificate in DER (RFC 5280 §4.1), including its tag and length; nil for bytes
    /// that are not a certificate.
    static func subjectPublicKeyInfo(of certificate: [UInt8]) -> ArraySlice<UInt8>? {
        var file = DERReader(certificate[...])
        guard let whole = file.next(), whole.tag == DERReader.sequence, file.isAtEnd else { return nil }
        var signed = DERReader(whole.content)
        guard let body = signed.next(), body.tag == DERReader.sequence else { return nil }
        var fields = DERReader(body.content)
        // Version 1 certificates omit the version.
        guard var field = fields.next() else { return nil }
        if field.tag == DERReader.version {
            guard let serial = fields.next() else { return nil }
            field = serial
        }
        guard field.tag == DERReader.integer else { return nil }
        // Signature algorithm, issuer, validity and subject come before the key.
        for _ in 0..<4 {
            guard fields.next()?.tag == DERReader.sequence else { return nil }
        }
        guard let key = fields.next(), key.tag == DERReader.sequence else { return nil }
        return key.whole
    }
}

/// Reads the elements of a DER encoding in order (ITU-T X.690 §8.1, §10.1).
private struct DERReader {
    struct Element {
        let tag: UInt8
        let whole: ArraySlice<UInt8>
        let content: ArraySlice<UInt8>
    }

    static let integer: UInt8 = 0x02
    static let sequence: UInt8 = 0x30
    /// [0], constructed: the version of a certificate.
    static let version: UInt8 = 0xA0

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Nil at the end, and if the tag, the length or the content is truncated.
    mutating func next() -> Element? {
        let start = rest
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let length = length(), length <= rest.count else {
            return nil
        }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Element(tag: tag, whole: start[start.startIndex..<content.endIndex], content: content)
    }

    private mutating func length() -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first & 0x80 != 0 else { return Int(first) }
        // 0x80 would be the indefinite form, which DER does not allow. No certificate needs more than three bytes.
        let count = Int(first & 0x7F)
        guard (1...3).contains(count), rest.count >= count else { return nil }
        let value = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
        return value
    }
}
