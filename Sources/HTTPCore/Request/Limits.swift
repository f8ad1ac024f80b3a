/// Size limits of a response.
public struct Limits: Sendable, Hashable {
    /// The maximum size of all header and trailer fields of one response together, those of interim responses included, in
    /// bytes. 64 KiB by default.
    public var headerBytes: Int
    /// The maximum size of the body in bytes, after content decoding. By default 64 MiB for a body in memory, and no
    /// limit for any other.
    public var bodyBytes: Int {
        get { chosenBodyBytes ?? Self.defaultBodyBytes }
        set { chosenBodyBytes = newValue }
    }
    /// The maximum average ratio of decoded to coded bytes. It applies once 64 KiB are decoded. Nil, the default, for
    /// no limit. A gzip stream can expand 1,000 times, a br stream many times that.
    public var expansion: Int?
    /// The maximum number of bytes after the last member of a gzip body that begin no member (RFC 1952 §2.2), such as
    /// padding. They are ignored, as browsers do. 64 KiB by default; 0 for none, and one is then a violation.
    public var trailingCodedBytes: Int

    private var chosenBodyBytes: Int?

    /// The default for a body in memory.
    package static let defaultBodyBytes = 64 << 20

    /// Limits. With nil for `bodyBytes` the default holds.
    public init(
        headerBytes: Int = 64 << 10, bodyBytes: Int? = nil, expansion: Int? = nil, trailingCodedBytes: Int = 64 << 10
    ) {
        self.headerBytes = headerBytes
        self.expansion = expansion
        self.trailingCodedBytes = trailingCodedBytes
        chosenBodyBytes = bodyBytes
    }

    /// The limits in force for a body: where none was set, the default depends on the destination.
    func forBody(inMemory isInMemory: Bool) -> Limits {
        var limits = self
        limits.bodyBytes = chosenBodyBytes ?? (isInMemory ? Self.defaultBodyBytes : .max)
        return limits
    }
}
