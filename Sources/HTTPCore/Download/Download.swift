/// A file that was downloaded, or was there before.
public struct Download: Sendable {
    /// Where it is.
    public let path: String
    /// Its length in bytes.
    public let byteCount: Int64
    /// How many of them this call fetched: none when the file was there, some when an earlier call had begun.
    public let fetchedByteCount: Int64
    /// The last answer of the server; nil when it was not asked.
    public let response: Response?

    /// What a download came to: the file, its size, how many bytes were fetched for it now, and the server's last
    /// answer.
    public init(path: String, byteCount: Int64, fetchedByteCount: Int64, response: Response?) {
        self.path = path
        self.byteCount = byteCount
        self.fetchedByteCount = fetchedByteCount
        self.response = response
    }
}
