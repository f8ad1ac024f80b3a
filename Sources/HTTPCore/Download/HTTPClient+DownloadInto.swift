extension HTTPClient {
    /// Downloads into `directory`, under the name that the server gives the file, and goes on where an earlier call
    /// stopped.
    ///
    ///     let report = try client.download(.get(url), into: "Downloads").get()
    ///     print(report.path)      // Downloads/Report 2024.pdf
    ///
    /// The name is that of Content-Disposition (RFC 6266, `filename*` of RFC 8187 first), else the last segment of the
    /// request's URL, else `download`. It is the word of a stranger and made safe: only what stands behind the last `/`
    /// or `\` counts; control characters, characters that do not show, and dots and blanks at both ends go; `<>:"|?*`
    /// become `_`, names of devices (`CON`, `NUL.txt`) and names that begin with `-` or `~` get a `_` in front, names
    /// that this package uses for its own records one behind; more than 200 bytes are cut, with the type kept. So the file
    /// lies in `directory` and nowhere else, and does not hide.
    ///
    /// A file that is there keeps its name, and the new one gets a number: `report (2).pdf`. With `replacing` it is
    /// replaced. What the server would call the file is known only from its answer, so a file that is there does not
    /// keep the request from being sent, unlike in `download(_:to:)`, which this is like in all else. The part lies in
    /// `directory` under a name from the URL.
    ///
    /// - Parameters:
    ///   - draft: A GET request.
    ///   - directory: One that exists.
    ///   - sha256: What the whole file must have, in hexadecimal. A file that has not is removed and the call fails.
    ///   - replacing: Whether a file of the same name is replaced.
    ///   - progress: Called at most ten times a second on this thread, and at the end.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func download(
        _ draft: MutableRequest, into directory: some FileLocation, sha256: String? = nil, replacing: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Result<Download, HTTPError> {
        do {
            let directory = directory.filePath
            let url = try Request(draft).url
            // Two URLs of one name may be fetched at once.
            let part = "\(FileName(of: url).text)-\(DownloadRecord.digest(of: url.string).prefix(8))"
            let run = try DownloadRun(draft, to: "\(directory)/\(part)", sha256: sha256, progress: progress)
            return .success(try run.fetch(by: self, into: directory, replacing: replacing))
        } catch { return .failure(error) }
    }
}
