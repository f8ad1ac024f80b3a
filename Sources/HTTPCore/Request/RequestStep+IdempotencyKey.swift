import HTTPFoundation

extension RequestStep {
    /// A key by which the server recognizes a repeated request, so that a POST can be sent again
    /// (draft-ietf-httpapi-idempotency-key-header). A random UUID unless you give one.
    ///
    /// The random key is made when the request is built: sending the same `Request` again, as a retry does, sends the
    /// same key, and each request that is built from one draft has its own. A key that you give belongs to one body:
    /// a server answers another body under it with the first one's result, or refuses it.
    ///
    /// The key is sent as it is, as services expect. The draft defines it as a quoted string: for a server that
    /// requires this, include the quotes.
    public static func idempotencyKey(_ key: String? = nil) -> RequestStep {
        if key?.isEmpty == true { return .failing("the Idempotency-Key is empty") }
        return RequestStep { $0.headers.set(key ?? madeWhenBuilt, for: "Idempotency-Key") }
    }

    /// Stands for the key in a draft, so that a later step can replace or remove it.
    private static let madeWhenBuilt = "made-when-the-request-is-built"

    /// `headers` with a key of their own, if a draft left it to the request.
    static func makeIdempotencyKey(in headers: inout HTTPHeaders) {
        guard headers["Idempotency-Key"] == madeWhenBuilt else { return }
        // Not `UUID()`: that opens /dev/urandom, and where it cannot, for want of descriptors, each is the same.
        var bits = SIMD2<UInt64>.random(in: 0 ... .max)
        (bits[0], bits[1]) = ((bits[0] & ~0xF000 | 0x4000).bigEndian, (bits[1] >> 2 | 1 << 63).bigEndian)
        let key = withUnsafeBytes(of: bits) { UUID(uuid: $0.load(as: uuid_t.self)) }
        headers.set(key.uuidString, for: "Idempotency-Key")
    }
}

extension Request {
    /// Whether the request may be repeated: its method is idempotent (RFC 9110 §9.2.2), or it has an Idempotency-Key.
    package var mayBeRepeated: Bool { method.isIdempotent || headers.contains("Idempotency-Key") }
}
