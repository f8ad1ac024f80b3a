import HTTPSupport

/// The result of `downloadIfNewer`.
public enum ConditionalDownload: Sendable {
    /// The file is up to date and was not changed. The response is a 304.
    case notModified(Response)
    /// The file was written.
    case downloaded(Download)
}

extension HTTPClient {
    /// Downloads the file at `path` if the server's version differs from it.
    ///
    ///     switch try client.downloadIfNewer(.get(url), to: "zones.json") {
    ///     case .notModified: break
    ///     case .downloaded(let file): reload(file.path)
    ///     }
    ///
    /// The request describes the existing file by If-None-Match and If-Modified-Since (RFC 9110 §13.1), with the
    /// server's own ETag and Last-Modified values. They are stored beside the file, in `path` plus `.validators.json`,
    /// with the file's size and time. A file that was changed locally, or came from another URL, is fetched again. For
    /// a file without such a record the modification time is sent. A 304 leaves the file alone. A 200 replaces it
    /// atomically, and sets its time to Last-Modified.
    ///
    /// A symbolic link at `path` stays, and its target is compared and replaced. An existing file that belongs to
    /// another user than this one or root, or has a second name, is refused before anything is sent: somebody
    /// else may have placed it there, and a 304 would confirm it.
    ///
    /// - Parameters:
    ///   - path: The file, which may exist.
    ///   - request: A GET request without conditions or ranges. It has no limit for the whole time or size unless it
    ///     sets one; the limits for connecting and between two bytes hold.
    ///   - progress: Called at most ten times a second, and at the end, on this thread.
    /// - Returns: What was done.
    /// - Throws: The failure of the exchange; `.unacceptableStatus` for a status other than 200
    ///   and 304, `.body` for failures of files.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    public func downloadIfNewer(
        _ request: some RequestConvertible, to path: some FileLocation,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws(HTTPError) -> ConditionalDownload {
        try FileUpdate(request.asDraft(), to: path.filePath, progress: progress).run(by: self)
    }
}

/// One call of `downloadIfNewer`.
private struct FileUpdate {
    let draft: MutableRequest
    let request: Request
    let path: String

    init(
        _ draft: MutableRequest, to path: String, progress: (@Sendable (TransferProgress) -> Void)?
    ) throws(HTTPError) {
        self.draft = progress.map { draft |> .downloadProgress($0) } ?? draft
        self.path = path
        request = try Request(draft)
        if let problem = Self.problem(request, path) { throw .invalidRequest(InvalidRequest(draft, problem)) }
    }

    private static func problem(_ request: Request, _ path: String) -> String? {
        if request.method != .get { return "a file is fetched by a GET request" }
        for name in ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"]
        where request.headers.contains(name) {
            return "the header \(name) is for downloadIfNewer to set: leave it out"
        }
        return FilePlace.defect(of: path).map { "the path \(path.debugDescription) of the file \($0)" }
    }

    @available(*, noasync)
    func run(by client: any HTTPClient) throws(HTTPError) -> ConditionalDownload {
        let place: FilePlace
        do { place = try FilePlace(path) } catch { throw error.failure(of: request) }
        let existing = place.status
        if let existing, let problem = FileTrust.problem(existing, at: place) { throw problem.failure(of: request) }
        let url = request.url.string
        let condition = RequestStep.condition(of: existing, FileValidators.kept(of: place.target), url: url)
        let written = Locked<FileStatus?>(nil)
        let response: Response
        do {
            let attempt = try Request(draft |> (condition ?? .none) |> .destination(destination(at: place, written)))
            response = try client.executeRequest(attempt).delivered(to: attempt).get()
        } catch {
            // Behind `.validate()` it is a failure.
            guard case .unacceptableStatus(let refusal) = error, refusal.status == .notModified else { throw error }
            response = refusal
        }
        if response.status == .notModified, condition != nil { return .notModified(response) }
        guard response.status == .ok else { throw .unacceptableStatus(response) }
        do { try note(response, at: place, url, written.withLock { $0 }) } catch { throw error.failure(of: request) }
        let count = response.bodyByteCount
        return .downloaded(Download(path: path, byteCount: count, fetchedByteCount: count, response: response))
    }

    /// The file itself, but only for a complete response. `written` gets its status.
    private func destination(at place: FilePlace, _ written: Locked<FileStatus?>) -> BodyDestination {
        BodyDestination.file(path).wrapped { start, open in
            // Any other is no whole file, and the caller gets its status.
            guard start.status == .ok else { return BodySink(write: { _ in }) }
            let sink = try open()
            return BodySink(
                write: sink.write,
                finish: {
                    try sink.finish()
                    written.withLock { $0 = place.status }
                }, abandon: sink.abandon)
        }
    }

    /// Replaces the record. The old one is removed first, and does not match the new file in size or time: a record
    /// never describes another file.
    private func note(
        _ response: Response, at place: FilePlace, _ url: String, _ written: FileStatus?
    ) throws(BodyProblem) {
        func isWritten(_ file: FileStatus) -> Bool { file.inode == written?.inode && file.device == written?.device }
        // Another call may have replaced it meanwhile. That one notes its own.
        guard let file = place.status, isWritten(file) else { return }
        FileValidators.forget(of: place.target)
        // Some file systems do not keep times. The record has the time that was kept.
        if let date = response.headers["Last-Modified"].flatMap({ HTTPDate($0, now: CallClock.system.unixTime()) }) {
            _ = SystemCall.setModified(date.unixTime, at: place.target)
        }
        guard let status = place.status, status.isRegular, isWritten(status) else { return }
        try FileValidators(url: url, headers: response.headers, file: status).keep(of: place.target)
    }
}
