/// A download as the one call that makes it.
package struct PreparedDownload: Sendable {
    /// Makes it, with the client's own policies for each exchange.
    package let client: any HTTPClient
    /// A timeout of it covers the whole download. Without one it takes as long as it takes.
    package let request: Request
    private let work: DownloadWork

    /// `claims`: see `DownloadRun`.
    package init(
        _ download: DownloadRequest, progress: (@Sendable (TransferProgress) -> Void)?, claims: FileClaims? = nil,
        by client: any HTTPClient
    ) throws(HTTPError) {
        let run = try DownloadRun(download, progress: progress, claims: claims)
        work = DownloadWork(run)
        request = run.request
        let policy = Interceptor(DownloadPolicy(work: work))
        // A detached call is one as a whole.
        let detached = client as? DetachedClient
        let whole = (detached?.next ?? client).intercepted(by: policy)
        self.client = detached == nil ? whole : whole.detached
    }

    /// What came of it, by the outcome of the call.
    package func download(_ outcome: Result<Response, HTTPError>) throws(HTTPError) -> Download {
        if let download = work.download {
            // With the figures of the whole call.
            return Download(
                path: download.path, byteCount: download.byteCount, fetchedByteCount: download.fetchedByteCount,
                response: download.response == nil ? nil : (try? outcome.get()) ?? download.response)
        }
        switch outcome {
        case .failure(let error): throw error
        // Not reached: a call that succeeds has a file.
        case .success: throw .cancelled(CallRecord(request, phase: .finishing))
        }
    }
}
