/// A downloaded file, or one that already existed.
public struct Download: Sendable {
    /// The path of the file.
    public let path: String
    /// The size of the file, in bytes.
    public let byteCount: Int64
    /// The number of bytes fetched by this call: 0 if the file already existed, and fewer than all if the call resumed
    /// a download.
    public let fetchedByteCount: Int64
    /// The last response; nil if no request was sent.
    public let response: Response?

    /// The result of a download: the file, its size, the number of bytes fetched, and the last response.
    public init(path: String, byteCount: Int64, fetchedByteCount: Int64, response: Response?) {
        self.path = path
        self.byteCount = byteCount
        self.fetchedByteCount = fetchedByteCount
        self.response = response
    }
}
