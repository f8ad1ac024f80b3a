/// The result of `fetchIfNewer`.
public enum FileFetch: Sendable {
    /// The file is up to date and was not changed. With the response, a 304.
    case notModified(Response)
    /// The file was written.
    case fetched(Download)
}

extension HTTPClient {
    /// Fetches the file at `path` if the server's version differs from it.
    ///
    ///     switch try client.fetchIfNewer(.get(url), to: "zones.json").get() {
    ///     case .notModified: break
    ///     case .fetched(let file): reload(file.path)
    ///     }
    ///
    /// The request says what is there by If-None-Match and If-Modified-Since (RFC 9110 §13.1), as the server wrote its
    /// ETag and Last-Modified. They are kept beside the file, in `path` with `.validators.json` behind it, with the
    /// file's size and time: one that was changed here, or came from another URL, is fetched anew. Of a file without such
    /// a record its time of modification is sent. A 304 leaves the file alone; a 200 replaces it whole or not at all, and
    /// gives it the time of Last-Modified.
    ///
    /// A symbolic link at `path` stays, and its target is compared and replaced.
    ///
    /// - Parameters:
    ///   - path: Where the file is or is to be.
    ///   - draft: A GET request without conditions or ranges of its own. There is no limit to its whole time or size but
    ///     those it sets.
    ///   - progress: Called at most ten times a second on this thread, and at the end.
    /// - Returns: What was done; or a failure: of the exchange, `.unacceptableStatus` for an answer that is neither 200
    ///   nor 304, `.body` for what goes wrong with files.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func fetchIfNewer(
        _ draft: MutableRequest, to path: some FileLocation, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Result<FileFetch, HTTPError> {
        do {
            return .success(try FileUpdate(draft, to: path.filePath, progress: progress).run(by: self))
        } catch { return .failure(error) }
    }
}

/// One call of `fetchIfNewer`.
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
            return "the header \(name) is for fetchIfNewer to set: leave it out"
        }
        return FilePlace.defect(of: path).map { "the path \(path.debugDescription) of the file \($0)" }
    }

    @available(*, noasync)
    func run(by client: any HTTPClient) throws(HTTPError) -> FileFetch {
        let place: FilePlace
        do { place = try FilePlace(path) } catch { throw failure(error) }
        let url = request.url.string
        let condition = FileCondition(place.status, FileValidators.kept(of: place.target), url: url)
        let response = try client.executeRequest(draft |> condition.step |> .destination(destination)).get()
        if response.status == .notModified, condition != .none { return .notModified(response) }
        guard response.status == .ok else { throw .unacceptableStatus(response) }
        do { try note(response, at: place, url) } catch { throw failure(error) }
        let count = response.bodyByteCount
        return .fetched(Download(path: path, byteCount: count, fetchedByteCount: count, response: response))
    }

    /// The file itself, but only for an answer that is all of it.
    private var destination: BodyDestination {
        .stream { [path] start in
            guard start.status == .ok else {
                throw BrokenBodyContract(description: "the server answered \(start.status), which is no whole file")
            }
            return try BodySink(replacing: path)
        }
    }

    /// The old record is of another size or time, or goes first: none is ever of another file than the one beside it.
    private func note(_ response: Response, at place: FilePlace, _ url: String) throws(BodyProblem) {
        FileValidators.forget(of: place.target)
        // Not every file system keeps times; the record has the one that it kept.
        if let date = response.headers["Last-Modified"].flatMap({ HTTPDate($0, now: 0) }) {
            _ = SystemCall.setModified(date.unixTime, at: place.target)
        }
        guard let status = place.status, status.isRegular else { return }
        try FileValidators(url: url, headers: response.headers, file: status).keep(of: place.target)
    }

    private func failure(_ problem: BodyProblem) -> HTTPError {
        .body(BodyFailure(problem, record: CallRecord(request, phase: .receiving)))
    }
}
