extension HTTPClient {
    /// Downloads into `directory`, under the file name that the server gives, and resumes an unfinished earlier call.
    ///
    ///     let report = try client.download(.get(url), into: "Downloads")
    ///     print(report.path)      // Downloads/Report 2024.pdf
    ///
    /// The name is that of Content-Disposition (RFC 6266, `filename*` of RFC 8187 first), else the last segment of the
    /// request's URL, else `download`. It is untrusted and made safe, so that the file lies in `directory` and is not
    /// hidden:
    ///
    /// - Only the part after the last `/` or `\` counts.
    /// - Control characters, invisible characters, and dots and blanks at both ends are removed.
    /// - Each of `<>:"|?*` becomes `_`.
    /// - Device names (`CON`, `NUL.txt`), and names that begin with `-` or `~`, get a leading `_`. Names of this
    ///   package's own records get a trailing one.
    /// - A name of more than 200 bytes is shortened; its extension is kept.
    ///
    /// An existing file keeps its name, and the new one gets a number: `report (2).pdf`. With `replacing` the existing
    /// file is replaced. The name is known only from the response, so the request is sent even if the file exists,
    /// unlike in `download(_:to:)`. In all other respects the two are alike. The part lies in `directory` under a name
    /// made from the URL.
    ///
    /// - Parameters:
    ///   - draft: A GET request.
    ///   - directory: An existing directory.
    ///   - sha256: The expected SHA-256 of the whole file, in hexadecimal. If it differs, the file is removed and the
    ///     call fails.
    ///   - replacing: Whether a file of the same name is replaced.
    ///   - progress: Called at most ten times a second, and at the end, on this thread.
    /// - Throws: As `download(_:to:)`.
    @available(*, noasync, message: "import HTTPAsync and await it")
    @discardableResult
    public func download(
        _ draft: MutableRequest, into directory: some FileLocation, sha256: String? = nil, replacing: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws(HTTPError) -> Download {
        let directory = directory.filePath
        let url = try Request(draft).url
        // Two URLs with the same file name may be fetched at once.
        let part = "\(FileName(of: url).text)-\(DownloadRecord.digest(of: url.string).prefix(8))"
        let run = try DownloadRun(draft, to: "\(directory)/\(part)", sha256: sha256, progress: progress)
        return try run.fetch(by: self, into: directory, replacing: replacing)
    }
}
