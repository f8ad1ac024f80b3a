/// How much a response may make the caller hold in memory.
public struct Limits: Sendable, Hashable {
    /// All header and trailer fields of one response together, in bytes. 64 KiB.
    public var headerBytes: Int
    /// The body in bytes, counted after content decoding. 64 MiB.
    public var bodyBytes: Int

    public init(headerBytes: Int = 64 << 10, bodyBytes: Int = 64 << 20) {
        self.headerBytes = headerBytes
        self.bodyBytes = bodyBytes
    }
}
