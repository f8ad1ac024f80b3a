import HTTPSupport

/// What one download fetches, and how it examines its files.
struct DownloadRun: Sendable {
    let draft: MutableRequest
    /// The whole call. Its body goes nowhere; it has no time limit but what the draft sets.
    let request: Request
    /// The file; in a directory whose file the server names, the place of its part without the ending.
    let path: String
    /// The directory in which the server names the file; nil for a path.
    let directory: String?
    let sha256: String?
    let isReplacing: Bool
    let progress: (@Sendable (TransferProgress) -> Void)?
    /// The names that the other downloads of a list have; nil for a download of its own.
    let claims: FileClaims?

    init(
        _ download: DownloadRequest, progress: (@Sendable (TransferProgress) -> Void)? = nil, claims: FileClaims? = nil
    ) throws(HTTPError) {
        draft = download.draft
        sha256 = download.sha256.map(ASCII.lowercased)
        isReplacing = download.isReplacing
        self.progress = progress
        self.claims = claims
        request = try Request(draft |> .destination(Self.anywhere))
        path = Self.path(download.target, request.url)
        directory = download.target.isDirectory ? download.target.path : nil
        if let problem { throw .invalidRequest(InvalidRequest(draft, problem)) }
    }

    private static let anywhere = BodyDestination.stream { _ in BodySink(write: { _ in }) }

    /// Two URLs with the same file name may be fetched at once.
    static func path(_ target: DownloadTarget, _ url: HTTPURL) -> String {
        guard target.isDirectory else { return target.path }
        return "\(target.path)/\(FileName(of: url).text)-\(DownloadRecord.digest(of: url.string).prefix(8))"
    }

    private var problem: String? {
        if directory?.isEmpty == true { return "the directory for the file has no name: write . for the current one" }
        if request.method != .get { return "a download is a GET request" }
        for name in ["Range", "If-Range", "Accept-Encoding"] where request.headers.contains(name) {
            return "the header \(name) is the download's to set: leave it out"
        }
        if let sha256, sha256.utf8.count != 64 || !sha256.utf8.allSatisfy(ASCII.isHexDigit) {
            return "the SHA-256 is \(sha256.debugDescription): it has 64 hexadecimal digits"
        }
        return FilePlace.defect(of: path).map { "the path \(path.debugDescription) of the file \($0)" }
    }

    /// The file at the path, whatever it is. In a directory it has no name yet.
    var existingStatus: FileStatus? { directory == nil ? (try? FilePlace(path))?.status : nil }

    /// The existing file, if it is the wanted one. Its progress is then reported.
    func existing(unless isOver: () -> Bool) throws(HTTPError) -> Download? {
        guard directory == nil, !isReplacing else { return nil }
        let existing = try files { () throws(BodyProblem) in try FileTrust.existing(at: FilePlace(path)) }
        guard let file = existing else { return nil }
        if let sha256 {
            guard try hash(file, unless: isOver) == sha256 else { return nil }
        }
        let download = Download(path: path, byteCount: file.size, fetchedByteCount: 0, response: nil)
        reportEnd(of: download)
        return download
    }

    func openPart() throws(HTTPError) -> PartialFile {
        try files { () throws(BodyProblem) in try PartialFile(of: path) }
    }

    /// Gives the part its final name, and returns its path.
    func complete(_ part: PartialFile, by commit: PartialFile.Commit) throws(HTTPError) -> String {
        try files { () throws(BodyProblem) in
            guard let directory else {
                // Without a checksum none was there at the beginning.
                guard try part.complete(replacing: isReplacing || sha256 != nil, by: commit) else {
                    throw FileTrust.problem(
                        path, "it was made during the download, and is not replaced without `replacing: true`")
                }
                return path
            }
            // Known only from the response.
            let name = FileName(suggestion: try part.record()?.name, of: request.url)
            return try part.complete(as: name, in: directory, replacing: isReplacing, claims, by: commit)
        }
    }

    func reportEnd(of download: Download) {
        progress?(TransferProgress(bytes: download.byteCount, total: download.byteCount, isFinished: true))
    }

    /// The request for all missing bytes, in this attempt and in its retries.
    func attempt(into sink: DownloadSink) throws(HTTPError) -> MutableRequest {
        var attempt = draft |> (try step(towards: sink)) |> .destination(sink.destination)
        attempt[RenewalKey.self] = { [weak sink] in
            guard let sink else { return .failure(PartialFile.hasEnded(path).failure(of: request)) }
            return Result { () throws(HTTPError) in try step(towards: sink) }
        }
        return attempt
    }

    private func step(towards sink: DownloadSink) throws(HTTPError) -> RequestStep { try files(sink.prepare).step }

    func sink(to part: PartialFile) -> DownloadSink {
        DownloadSink(
            part, url: request.url.string, isAsking: isAsking, limit: request.limits.bodyBytes, progress: progress)
    }

    /// Whether the server is asked about a complete part of an earlier call, as it is asked where the file exists. A checksum
    /// says more, and without a request.
    private var isAsking: Bool { sha256 == nil && (isReplacing || directory != nil) }

    /// The failure of a part with another checksum than expected; nil for the expected one.
    func wrongChecksum(of part: PartialFile, unless isOver: () -> Bool) throws(HTTPError) -> HTTPError? {
        guard let sha256 else { return nil }
        let actual = try hash(try files(part.reader), unless: isOver)
        guard actual != sha256 else { return nil }
        return BodyProblem(.wrongChecksum(expected: sha256, actual: actual), path: path).failure(of: request)
    }

    /// Hashes the open file, not one that has taken its name meanwhile.
    private func hash(_ file: FileReader, unless isOver: () -> Bool) throws(HTTPError) -> String {
        let hash = try files { () throws(BodyProblem) in try FileHash.sha256(of: file, unless: isOver) }
        guard let hash else {
            throw .unsupported(
                Unsupported(
                    "a SHA-256", "no library in this process computes it: leave it out, and compare it yourself"))
        }
        return hash
    }

    /// Does work on the files. A problem with them is the failure of the call.
    func files<Value>(_ work: () throws(BodyProblem) -> Value) throws(HTTPError) -> Value {
        do { return try work() } catch { throw error.failure(of: request) }
    }

    func truncated(_ size: Int64, of total: Int64) -> HTTPError {
        .truncatedBody(
            TruncatedBody(
                .contentLength(expected: total), received: size, record: CallRecord(request, phase: .receiving)))
    }
}

extension BodyProblem {
    /// The failure of a call whose file it is about.
    func failure(of request: Request) -> HTTPError {
        .body(BodyFailure(self, record: CallRecord(request, phase: .receiving)))
    }
}
