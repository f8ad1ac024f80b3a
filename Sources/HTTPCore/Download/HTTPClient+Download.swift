extension HTTPClient {
    /// Downloads to the file at `path`, and goes on where an earlier call stopped: one that failed, was cancelled, or
    /// whose process was killed.
    ///
    ///     let download = client.download(.get(url), to: "ubuntu.iso", sha256: published, progress: ProgressBar().show)
    ///
    /// The fetched part is stored in `path` plus `.partial`, its record in `.partial.json`. The final name appears when
    /// the file is complete and synced to the disk. The rest of a file is requested by Range on the condition that it
    /// has not changed (If-Range, RFC 9110 §13.1.5), for which the server must have sent a strong ETag, or a
    /// Last-Modified date older than its response. Otherwise, and if the server ignores ranges or has another version,
    /// the file is fetched from its first byte. The bytes are kept as sent; no content coding is requested or undone.
    /// After a crash of the whole system the part may be damaged, which a SHA-256 detects. While one call downloads to
    /// `path`, in this process or another, every other one fails with `.body`.
    ///
    /// Only this user can read both files, and the record masks secrets in the URL. A part or record that belongs to
    /// another user, is a link or has a second name is refused, because it may have been planted. The complete file has
    /// the permissions that the umask allows, or those of the file that it replaces. A symbolic link at `path` stays,
    /// and its target is created or replaced.
    ///
    /// - Parameters:
    ///   - draft: A GET request. There is no limit to its whole time or size but those it sets.
    ///   - path: If a regular file is there, and has the `sha256` where one is given, nothing is sent and nothing changed.
    ///   - sha256: What the whole file must have, in hexadecimal. A file that has not is removed and the call fails.
    ///   - replacing: Fetch the file also if it is there.
    ///   - progress: Called at most ten times a second on this thread, and at the end; for a file that is there already,
    ///     once.
    /// - Returns: The file; or a failure: of the exchange, `.unacceptableStatus` for an answer that is neither 200 nor
    ///   206, `.body` for what goes wrong with files and checksums.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func download(
        _ draft: MutableRequest, to path: some FileLocation, sha256: String? = nil, replacing: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Result<Download, HTTPError> {
        do {
            let path = path.filePath
            let run = try DownloadRun(draft, to: path, sha256: sha256, progress: progress)
            if !replacing, let existing = try run.existing() {
                PartialFile.removeLeftovers(of: path)
                run.reportEnd(of: existing)
                return .success(existing)
            }
            return .success(try run.fetch(by: self, replacing: replacing))
        } catch { return .failure(error) }
    }
}
