/// A download as a value, for a list of them: what `download(_:to:)` takes.
///
///     DownloadRequest(.get(url), to: "ubuntu.iso", sha256: published)
///     DownloadRequest(.get(url), to: .directory("Downloads"))
public struct DownloadRequest: Sendable {
    /// A GET request without ranges.
    public var draft: MutableRequest
    /// The file, or the directory in which the server names it.
    public var target: DownloadTarget
    /// The expected SHA-256 of the whole file, in hexadecimal; nil skips the check.
    public var sha256: String?
    /// Whether an existing file is fetched again and replaced.
    public var isReplacing: Bool

    /// A download of `request`; see `download(_:to:)` of a client.
    public init(
        _ request: some RequestConvertible, to location: some DownloadLocation, sha256: String? = nil,
        replacing: Bool = false
    ) {
        draft = request.asDraft()
        target = location.downloadTarget
        self.sha256 = sha256
        isReplacing = replacing
    }

    /// The outcome of one that was cancelled before it began.
    package var cancellation: HTTPError {
        .cancelled((try? Request(draft)).map { CallRecord($0, phase: .queued) })
    }
}
