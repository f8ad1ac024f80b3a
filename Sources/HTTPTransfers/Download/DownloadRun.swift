import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One call of `download`: as many exchanges as the whole file takes.
struct DownloadRun {
    let draft: MutableRequest
    let request: Request
    /// The file; in a directory whose file the server names, the place of its part without the ending.
    let path: String
    /// The directory in which the server names the file; nil for a path.
    let directory: String?
    let sha256: String?
    let isReplacing: Bool
    let progress: (@Sendable (TransferProgress) -> Void)?

    init(
        _ draft: MutableRequest, to target: DownloadTarget, sha256: String? = nil, replacing isReplacing: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws(HTTPError) {
        self.draft = draft
        self.sha256 = sha256.map(ASCII.lowercased)
        self.isReplacing = isReplacing
        self.progress = progress
        request = try Request(draft)
        path = Self.path(target, request.url)
        directory = target.isDirectory ? target.path : nil
        if let problem = Self.problem(request, self.sha256, path) {
            throw .invalidRequest(InvalidRequest(draft, problem))
        }
    }

    /// Two URLs with the same file name may be fetched at once.
    static func path(_ target: DownloadTarget, _ url: HTTPURL) -> String {
        guard target.isDirectory else { return target.path }
        return "\(target.path)/\(FileName(of: url).text)-\(DownloadRecord.digest(of: url.string).prefix(8))"
    }

    private static func problem(_ request: Request, _ sha256: String?, _ path: String) -> String? {
        if request.method != .get { return "a download is a GET request" }
        for name in ["Range", "If-Range", "Accept-Encoding"] where request.headers.contains(name) {
            return "the header \(name) is the download's to set: leave it out"
        }
        if let sha256, sha256.utf8.count != 64 || !sha256.utf8.allSatisfy(ASCII.isHexDigit) {
            return "the SHA-256 is \(sha256.debugDescription): it has 64 hexadecimal digits"
        }
        return FilePlace.defect(of: path).map { "the path \(path.debugDescription) of the file \($0)" }
    }

    /// `claims` are the names that the other downloads of a list have; nil for a download of its own.
    @available(*, noasync)
    func run(by client: any HTTPClient, claims: FileClaims? = nil) throws(HTTPError) -> Download {
        if let existing = try existing() {
            PartialFile.removeLeftovers(of: path)
            return existing
        }
        let part: PartialFile
        do { part = try PartialFile(of: path) } catch { throw failure(error) }
        // Another download may have finished before this one had the lock.
        do throws(HTTPError) {
            if let existing = try existing() {
                part.discard()
                return existing
            }
        } catch {
            if part.size == 0 { part.discard() }
            throw error
        }
        return try fetch(part, by: client) { part throws(BodyProblem) in
            guard let directory else {
                try part.complete()
                return path
            }
            // Known only from the response.
            let name = FileName(suggestion: try part.record()?.name, of: request.url)
            return try part.complete(as: name, in: directory, replacing: isReplacing, claims)
        }
    }

    /// The existing file, if it is the wanted one. Its progress is then reported.
    private func existing() throws(HTTPError) -> Download? {
        // A file in a directory has no name yet.
        guard directory == nil, !isReplacing else { return nil }
        let file: FileReader
        do {
            guard let existing = try FileTrust.existing(at: FilePlace(path)) else { return nil }
            file = existing
        } catch { throw failure(error) }
        if let sha256 {
            guard try hash({ () throws(BodyProblem) in file }) == sha256 else { return nil }
        }
        let download = Download(path: path, byteCount: file.size, fetchedByteCount: 0, response: nil)
        reportEnd(of: download)
        return download
    }

    @available(*, noasync)
    private func fetch(
        _ part: PartialFile, by client: any HTTPClient, complete: (PartialFile) throws(BodyProblem) -> String
    ) throws(HTTPError) -> Download {
        let response: Response?
        let fetched: Int64
        do throws(HTTPError) { (response, fetched) = try fill(part, by: client) } catch {
            if part.size == 0 { part.discard() }
            throw error
        }
        let size = part.size
        try check(part)
        let place: String
        do { place = try complete(part) } catch { throw failure(error) }
        let download = Download(path: place, byteCount: size, fetchedByteCount: fetched, response: response)
        reportEnd(of: download)
        return download
    }

    private func reportEnd(of download: Download) {
        progress?(TransferProgress(bytes: download.byteCount, total: download.byteCount, isFinished: true))
    }

    /// Requests until the file is complete. Returns the last response and the number of bytes fetched.
    ///
    /// A retry requests the part that is then missing (`RequestRenewal`).
    @available(*, noasync)
    private func fill(_ part: PartialFile, by client: any HTTPClient) throws(HTTPError) -> (Response?, fetched: Int64) {
        let sink = sink(to: part)
        var last: Response?
        var restarts = 0
        while true {
            let attempt = try attempt(into: sink)
            guard sink.start != .atEnd else { return (last, sink.fetchedByteCount) }
            let result = client.executeRequest(attempt)
            // Of the last exchange: a retry may have begun at another byte than the first.
            let start = sink.start
            let mayRestart = start != .fromNothing && restarts < Self.restartLimit
            switch result {
            case .success(let response) where response.status == .ok || response.status == .partialContent:
                last = response
                guard let total = try record(of: part)?.total, part.size < total else {
                    return (last, sink.fetchedByteCount)
                }
                // The part is shorter than requested: the rest is requested next.
                if response.status == .partialContent, part.size > start.offset { continue }
                // It has no further byte, and neither has the response to the same request.
                guard response.status == .partialContent, mayRestart else { throw truncated(part.size, of: total) }
                try forget(part)
            // The requested range begins after the end of the current version.
            case .success(let response) where response.status == 416 && mayRestart: try forget(part)
            case .success(let response): throw .unacceptableStatus(response)
            case .failure where sink.isRefused && mayRestart: break
            case .failure(let error): throw error
            }
            restarts += 1
        }
    }

    /// How often the download starts over: because the file changed on the server, or because of what the server sent.
    private static let restartLimit = 5

    /// The request for all missing bytes, in this attempt and in its retries.
    func attempt(into sink: DownloadSink) throws(HTTPError) -> MutableRequest {
        var attempt = draft |> (try step(towards: sink)) |> .destination(sink.destination)
        attempt[RenewalKey.self] = RequestRenewal { () throws(HTTPError) in try step(towards: sink) }
        return attempt
    }

    private func step(towards sink: DownloadSink) throws(HTTPError) -> RequestStep {
        do { return try sink.prepare().step } catch { throw failure(error) }
    }

    func sink(to part: PartialFile) -> DownloadSink {
        DownloadSink(part, url: request.url.string, progress: progress)
    }

    private func check(_ part: PartialFile) throws(HTTPError) {
        guard let sha256 else { return }
        let actual = try hash(part.reader)
        guard actual != sha256 else { return }
        part.discard()
        throw failure(BodyProblem(.wrongChecksum(expected: sha256, actual: actual), path: path))
    }

    /// Hashes the open file, not one that has taken its name meanwhile.
    private func hash(_ open: () throws(BodyProblem) -> FileReader) throws(HTTPError) -> String {
        let file: FileReader
        do { file = try open() } catch { throw failure(error) }
        do { return try FileHash.sha256(of: file) } catch {
            switch error {
            case .file(let problem): throw failure(problem)
            case .unavailable:
                throw .unsupported(
                    Unsupported(
                        "a SHA-256", "no library in this process computes it: leave it out, and compare it yourself"))
            }
        }
    }

    private func record(of part: PartialFile) throws(HTTPError) -> DownloadRecord? {
        do { return try part.record() } catch { throw failure(error) }
    }

    private func forget(_ part: PartialFile) throws(HTTPError) {
        do { try part.forget() } catch { throw failure(error) }
    }

    private func truncated(_ size: Int64, of total: Int64) -> HTTPError {
        .truncatedBody(
            TruncatedBody(
                .contentLength(expected: total), received: size, record: CallRecord(request, phase: .receiving)))
    }

    private func failure(_ problem: BodyProblem) -> HTTPError {
        .body(BodyFailure(problem, record: CallRecord(request, phase: .receiving)))
    }
}
