import HTTPSupport

/// The requests that a stored response can answer (RFC 9111 §4.1). The fields named by Vary must equal those of the
/// original request, as it was sent.
///
/// Three things count even if Vary does not name them: Authorization, as one client may make calls for many users; a
/// Host field of the caller's own, which selects the server; and whom the client trusts, as clients may share a cache.
struct CacheVariant: Sendable, Hashable {
    struct Field: Sendable, Hashable {
        /// In lower case.
        let name: String
        /// Nil if the request has no such field.
        let value: Value?
    }

    enum Value: Sendable, Hashable {
        /// The normalized text of the field; see `value(of:in:)`.
        case text(String)
        /// The SHA-256 of the text, so that files contain no credentials.
        case digest(String)

        func matches(_ text: String) -> Bool {
            switch self {
            case .text(let own): own.utf8.elementsEqual(text.utf8)
            case .digest(let digest): digest == Value.digest(of: text)
            }
        }

        /// The value of a digest in a file; nil for an empty one, which stands for no field.
        init?(stored digest: String) {
            guard !digest.isEmpty else { return nil }
            self = .digest(digest)
        }

        var digest: String {
            switch self {
            case .text(let text): Self.digest(of: text)
            case .digest(let digest): digest
            }
        }

        var digested: Value { .digest(digest) }

        var byteCount: Int {
            switch self {
            case .text(let text), .digest(let text): text.utf8.count
            }
        }

        static func digest(of text: String) -> String {
            let bytes = Array(text.utf8)
            return LibraryHash.hexadecimal(.sha256, of: bytes) ?? SHA256.hexadecimal(of: bytes)
        }
    }

    /// Sorted by name.
    let fields: [Field]
    let authorization: Value?

    /// The maximum number of names. A server that names more does not intend reuse.
    static let mostFields = 32
    /// The name of the client's trust among the fields: no field can have it.
    static let trust = ":trust"
    /// What selects besides Authorization, whether Vary names it or not.
    static let selectors = [trust, "host"]

    /// The field that says whether a coded body is decoded: it is not if the request has one.
    private static let coding = "accept-encoding"

    private static func isCoded(_ headers: HTTPHeaders) -> Bool { headers.contains("Content-Encoding") }
}

extension CacheVariant {
    /// The fields named by Vary and by `more`, and that by which a coded body was decoded or not. Nil for `Vary: *`, which no other request is known to match.
    init?(_ headers: HTTPHeaders, answering request: CacheRequest, alsoBy more: [String] = []) {
        guard let names = Self.names(headers) else { return nil }
        var more = more + Self.selectors.filter { Self.value(of: $0, in: request) != nil }
        if Self.isCoded(headers) { more.append(Self.coding) }
        let all = more.isEmpty ? names : Set(names + more).sorted()
        fields = all.map { name in Field(name: name, value: Self.value(of: name, in: request).map { .text($0) }) }
        authorization = request.authorization.map { .text($0) }
    }

    /// The names in Vary, in lower case. Nil for `*`, and for a member that is no name: what the server meant by it is
    /// not known (RFC 9110 §12.5.5).
    static func names(_ headers: HTTPHeaders) -> [String]? {
        let values = headers.values(for: "Vary")
        guard !values.isEmpty else { return [] }
        let names = Set(CacheControl.names(values))
        guard !names.contains("*"), names.count <= mostFields, names.allSatisfy({ ASCII.isToken($0) }) else {
            return nil
        }
        return names.sorted()
    }

    func matches(_ request: CacheRequest) -> Bool {
        guard hasCredentials(of: request) else { return false }
        return fields.allSatisfy { Self.matches($0, request) && !($0.value == nil && request.mayGain($0.name)) }
    }

    private static func matches(_ field: Field, _ request: CacheRequest) -> Bool {
        areEqual(field.value, value(of: field.name, in: request))
    }

    /// Whether the bytes stored with `headers` are what this request would get: coded ones are decoded or not by its
    /// Accept-Encoding.
    func isDecoded(_ headers: HTTPHeaders, asFor request: CacheRequest) -> Bool {
        !Self.isCoded(headers) || fields.contains { $0.name == Self.coding && Self.matches($0, request) }
    }

    /// Whether the request has the credentials of the original one, and goes to the same server with the same trust.
    func hasCredentials(of request: CacheRequest) -> Bool {
        guard Self.areEqual(authorization, request.authorization) else { return false }
        return Self.selectors.allSatisfy { name in
            Self.areEqual(fields.first { $0.name == name }?.value, Self.value(of: name, in: request))
        }
    }

    private static func areEqual(_ stored: Value?, _ value: String?) -> Bool {
        switch (stored, value) {
        case (nil, nil): true
        case (let stored?, let value?): stored.matches(value)
        default: false
        }
    }

    /// The approximate size in memory, in bytes.
    var byteCount: Int {
        fields.reduce(authorization?.byteCount ?? 0) { $0 + 128 + ($1.value?.byteCount ?? 0) }
    }

    /// The form for a file, with digests of the values.
    var digested: CacheVariant {
        CacheVariant(
            fields: fields.map { Field(name: $0.name, value: $0.value?.digested) },
            authorization: authorization?.digested)
    }

    /// The field in a normal form: fields of one name joined, no blanks around commas, languages in lower case. The
    /// client's own User-Agent, where the request has none. Nil if no such field is sent.
    static func value(of name: String, in request: CacheRequest) -> String? {
        if name == trust { return request.trust?.digest }
        let hasJar = name == "cookie" && request.sent.cookies != nil
        guard hasJar || request.sent.headers.contains(name) else {
            return name == "user-agent" ? request.trust?.userAgent : nil
        }
        guard let value = hasJar ? request.cookies : request.sent.headers.combinedValue(for: name) else { return nil }
        let plain = withoutBlanks(value)
        return name == "accept-language" ? ASCII.lowercased(plain) : plain
    }

    /// `value` without spaces and tabs at its ends and around commas, except inside quotes.
    private static func withoutBlanks(_ value: String) -> String {
        guard value.utf8.contains(where: ASCII.isBlank) else { return value }
        var bytes: [UInt8] = []
        var blanks: [UInt8] = []
        var quotes = QuotedString()
        for byte in value.utf8 {
            if !quotes.isOpen, ASCII.isBlank(byte) {
                blanks.append(byte)
                continue
            }
            let isAtComma =
                byte == UInt8(ascii: ",") && !quotes.isOpen || bytes.last.map { $0 == UInt8(ascii: ",") } ?? true
            if !isAtComma { bytes += blanks }
            blanks = []
            bytes.append(byte)
            quotes.take(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
