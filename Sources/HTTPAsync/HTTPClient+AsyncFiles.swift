public import HTTPCore

/// Awaited transfers of files, with the blocking forms' names. They take a thread of `Dispatcher.streams` for as long as they
/// last, since that may be hours.
extension HTTPClient {
    /// Downloads to the file at `path`, and goes on where an earlier call stopped. The parameters that are not said here, and
    /// what is left on the disk, are as for the blocking form.
    ///
    ///     let file = try await client.download(.get(url), to: "ubuntu.iso", sha256: published)
    ///
    /// - Parameters:
    ///   - progress: Hears of the progress ten times a second at most, on the thread that receives, and at the end.
    ///   - dispatcher: Whose thread receives.
    /// - Throws: What the blocking form fails with; `.cancelled` when the task is cancelled: what was fetched stays for the
    ///   next call; `.overloaded` when the dispatcher's queue is full.
    public func download(
        _ draft: MutableRequest, to path: String, sha256: String? = nil, replacing: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil, on dispatcher: Dispatcher = .streams,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Download {
        try await perform(host: host(of: draft), on: dispatcher, isolation: isolation) { client in
            client.download(draft, to: path, sha256: sha256, replacing: replacing, progress: progress)
        }
    }

    /// Sends the file at `path` as the body of `draft`, without reading it whole, and awaits the answer. The parameters that
    /// are not said here are as for the blocking form.
    ///
    /// - Parameters:
    ///   - progress: Hears of the progress ten times a second at most, on the thread that sends, and at the end.
    ///   - dispatcher: Whose thread sends.
    /// - Throws: As `response(for:)`; `.body` for a file that cannot be read or changes meanwhile.
    @discardableResult
    public func upload(
        _ draft: MutableRequest, from path: String, contentType: String = "application/octet-stream",
        expectContinue continueWait: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil,
        on dispatcher: Dispatcher = .streams, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await perform(host: host(of: draft), on: dispatcher, isolation: isolation) { client in
            client.upload(
                draft, from: path, contentType: contentType, expectContinue: continueWait, progress: progress)
        }
    }

    /// Nil for a draft that cannot be sent, which the call itself says.
    private func host(of draft: MutableRequest) -> String? { (try? Request(draft))?.origin.authority }
}
