@_exported public import HTTPCore

extension HTTPClient {
    /// Downloads to a file, and resumes an earlier call that failed, was cancelled, or whose process was killed.
    ///
    ///     let image = try client.download(.get(url), to: "ubuntu.iso", sha256: published)
    ///     let report = try client.download(.get(url), to: .directory("Downloads"))     // the server names it
    ///
    /// The fetched part is stored beside the file with `.partial` after its name, and its record with `.partial.json`. The
    /// file gets its final name when it is complete and synced to disk.
    ///
    /// The rest of a file is requested by Range, on the condition that the file has not changed (If-Range, RFC 9110
    /// §13.1.5). The server must have sent a strong ETag, or no ETag and a Last-Modified date older than its response. The
    /// file is fetched from its first byte if it sent neither, if the server ignores ranges, has another version, or answers the
    /// Range with anything else than the bytes asked for. No content coding is requested or decoded: the bytes are stored as sent.
    ///
    /// A part that is complete, since only its last step was missing, gets its name without a request, if it has the `sha256` or
    /// none is given. With `replacing`, or in a directory, and no `sha256` the server is asked whether it still has that version,
    /// by a request for the last byte. A part with another `sha256` is fetched anew. `.bodyLimit` is for the whole file.
    ///
    /// After a system crash the part may be damaged, which a SHA-256 detects. While one call downloads to a path, or from
    /// a URL into a directory, in this process or another, every other one fails with `.body`.
    ///
    /// Only this user can read both files, and the record masks secrets in the URL. A part or record that belongs to
    /// another user, is a link or has a second name is refused, because somebody else may have placed it there. So is
    /// a complete file that belongs to another user than this one or root, or has a second name, unless it is replaced.
    /// The complete file has the permissions of the file that it replaces, else those that the umask allows. A symbolic
    /// link at a path stays, and its target is created or replaced.
    ///
    /// - Parameters:
    ///   - request: A GET request. It has no limit for the whole time or size unless it sets one; a timeout is for the
    ///     whole download. The limits for connecting and between two bytes hold.
    ///   - location: The path of the file, as a `String` or `URL`, or `.directory(…)`. If a regular file exists at the
    ///     path, with the `sha256` if that is given, nothing is sent or changed.
    ///   - sha256: The expected SHA-256 of the whole file, in hexadecimal. If it differs, the file is removed and the
    ///     call fails.
    ///   - replacing: Whether to fetch the file even if it exists, and replace it.
    ///   - progress: Called at most ten times a second, and at the end, on this thread. Called once if the file exists.
    /// - Throws: The failure of the exchange; `.unacceptableStatus` for a status other than 200 and
    ///   206, `.protocolViolation` for a part that was not asked for, `.body` for failures of files and checksums.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    @discardableResult
    public func download(
        _ request: some RequestConvertible, to location: some DownloadLocation, sha256: String? = nil,
        replacing: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws(HTTPError) -> Download {
        let call = try PreparedDownload(
            DownloadRequest(request, to: location, sha256: sha256, replacing: replacing), progress: progress, by: self)
        return try call.download(call.client.executeRequest(call.request))
    }
}
