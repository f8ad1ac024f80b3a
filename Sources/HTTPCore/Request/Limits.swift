/// How much of a response is taken.
public struct Limits: Sendable, Hashable {
    /// All header and trailer fields of one response together, in bytes. 64 KiB.
    public var headerBytes: Int
    /// The body in bytes, counted after content decoding. 64 MiB for a body that is held in memory; for one that goes
    /// elsewhere there is no limit unless it is set.
    public var bodyBytes: Int {
        get { chosenBodyBytes ?? Self.defaultBodyBytes }
        set { chosenBodyBytes = newValue }
    }
    /// How many bytes each coded one may become on average, counted from 64 KiB of decoded content on; nil, the
    /// default, for any number. A gzip stream can hold 1,000 times its size, a br stream many times that.
    public var expansion: Int?

    private var chosenBodyBytes: Int?

    /// For a body in memory.
    package static let defaultBodyBytes = 64 << 20

    /// With nil for `bodyBytes` the default holds.
    public init(headerBytes: Int = 64 << 10, bodyBytes: Int? = nil, expansion: Int? = nil) {
        self.headerBytes = headerBytes
        self.expansion = expansion
        chosenBodyBytes = bodyBytes
    }

    /// With the limit that holds for the body's destination where none was set.
    func forBody(inMemory isInMemory: Bool) -> Limits {
        var limits = self
        limits.bodyBytes = chosenBodyBytes ?? (isInMemory ? Self.defaultBodyBytes : .max)
        return limits
    }
}
