public import HTTPFoundation

/// Awaited transfers of files and streams, with the blocking forms' names. Each occupies a slot of `Dispatcher.streams`,
/// which may take hours, and a thread; but downloads without `progress` over a `CurlTransport` share the thread of its event
/// loop. A timeout that the request sets covers the whole transfer and its wait for a slot; without one it waits as long as
/// all slots are taken.
extension HTTPClient {
    /// Downloads to a file, and resumes an earlier download. Files are kept as by the blocking form.
    ///
    ///     let image = try await client.download(.get(url), to: "ubuntu.iso", sha256: published)
    ///     let report = try await client.download(.get(url), to: .directory("Downloads"))     // the server names it
    ///
    /// - Parameters:
    ///   - request: A GET request without ranges.
    ///   - location: The path of the file, as a `String` or `URL`, or `.directory(…)`.
    ///   - sha256: The SHA-256 of the whole file in hexadecimal; nil skips the check.
    ///   - replacing: Whether an existing file is fetched again. By default it counts as complete, and nothing is sent.
    ///   - progress: Called at most ten times a second on the receiving thread, and at the end.
    ///   - dispatcher: Makes the exchanges, and supplies the threads.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: The blocking form's failures; `.cancelled` when the task is cancelled, and the next call resumes;
    ///   an `Overload` when the dispatcher's queue is full.
    @discardableResult
    public func download(
        _ request: some RequestConvertible, to location: some DownloadLocation, sha256: String? = nil,
        replacing: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil, on dispatcher: Dispatcher = .streams,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Download {
        let (download, call) = try prepare(
            DownloadRequest(request, to: location, sha256: sha256, replacing: replacing), progress, on: dispatcher)
        await dispatcher.run(call, priority: nil, isolation: isolation)
        return try download.download(Result { () throws(HTTPError) in try call.settlement.value() })
    }

    /// Downloads the file at `path` if the server's version differs from it. Its validators are stored as in the blocking
    /// form.
    ///
    ///     let update = try await client.downloadIfNewer(.get(url), to: "zones.json")
    ///     if case .downloaded(let file) = update { reload(file.path) }
    ///
    /// - Parameters:
    ///   - request: A GET request without conditions or ranges.
    ///   - path: The path of the file.
    ///   - progress: Called at most ten times a second on the receiving thread, and at the end.
    ///   - dispatcher: Supplies the receiving thread.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: The blocking form's failures; `.cancelled` when the task is cancelled; an `Overload` when the
    ///   dispatcher's queue is full.
    public func downloadIfNewer(
        _ request: some RequestConvertible, to path: some FileLocation,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        on dispatcher: Dispatcher = .streams, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> ConditionalDownload {
        let draft = request.asDraft()
        return try await transfer(draft, on: dispatcher, isolation) { client throws(HTTPError) in
            try client.downloadIfNewer(draft, to: path, progress: progress)
        }
    }

    /// Sends the file at `path` as the body of `request` without reading it into memory, and awaits the response.
    ///
    /// - Parameters:
    ///   - request: The request, to which the file is added.
    ///   - path: The file.
    ///   - contentType: The media type of the file, unless the request has set or removed one; nil sends none.
    ///   - continueWait: How long to wait for `100 Continue` before the file is sent (RFC 9110 §10.1.1); nil sends it
    ///     at once.
    ///   - progress: Called at most ten times a second on the sending thread, and at the end.
    ///   - dispatcher: Supplies the sending thread.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: As `send`; `.body` for a file that cannot be read or changes meanwhile.
    @discardableResult
    public func upload(
        _ request: some RequestConvertible, from path: some FileLocation,
        contentType: String? = "application/octet-stream",
        expectContinue continueWait: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil,
        on dispatcher: Dispatcher = .streams, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        let draft = request.asDraft()
        return try await transfer(draft, on: dispatcher, isolation) { client throws(HTTPError) in
            try client.upload(
                draft, from: path, contentType: contentType, expectContinue: continueWait, progress: progress)
        }
    }

    /// Sends `elements` as the body of `request` while they arrive, and awaits the response.
    ///
    ///     try await client.upload(.post(url), from: readings.map { Data("\($0)\n".utf8) }, contentType: "text/plain")
    ///
    /// The sequence is iterated once, so a call that would have to send the body again, for a retry or a 307, fails;
    /// see `RequestBody.stream(of:length:contentType:replayable:)`. There is no total timeout unless the request sets
    /// one, and the idle limit does not count the wait for the next element: a sequence that may fall silent needs a
    /// `.timeout(_:)`.
    ///
    /// - Parameters:
    ///   - request: The request, to which the body is added.
    ///   - elements: The pieces of the body.
    ///   - length: The number of bytes. A sequence with more or fewer fails the call. Nil for unknown: sent in chunks
    ///     on HTTP/1.1.
    ///   - contentType: The media type, unless the request has set or removed one; nil sends none.
    ///   - dispatcher: Supplies the sending thread.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: As `send`; `.body` with what the sequence threw.
    @discardableResult
    public func upload<Elements: AsyncSequence & Sendable>(
        _ request: some RequestConvertible, from elements: Elements, length: Int64? = nil,
        contentType: String? = "application/octet-stream", on dispatcher: Dispatcher = .streams,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response where Elements.Element: DataProtocol {
        let draft = request.asDraft()
        let contentType = draft.hasNoContentType ? nil : contentType
        let built = try Request(draft |> .stream(of: elements, length: length, contentType: contentType))
        return try await transfer(MutableRequest(built), on: dispatcher, isolation) { client throws(HTTPError) in
            try client.send(built)
        }
    }

    /// Not inlined: its temporaries would stay in the task's frame until the end of the download.
    @inline(never) private func prepare(
        _ request: DownloadRequest, _ progress: (@Sendable (TransferProgress) -> Void)?, on dispatcher: Dispatcher
    ) throws(HTTPError) -> (PreparedDownload, AwaitedCall<RequestWork>) {
        let download = try PreparedDownload(request, progress: progress, by: self)
        return (download, dispatcher.call(download.client, download.request))
    }

    private func transfer<Value: Sendable>(
        _ draft: MutableRequest, on dispatcher: Dispatcher, _ isolation: isolated (any Actor)?,
        _ work: @escaping @Sendable (any HTTPClient) throws(HTTPError) -> Value
    ) async throws(HTTPError) -> Value {
        let call = dispatcher.transfer(self, draft, work)
        await dispatcher.run(call, priority: nil, isolation: isolation)
        return try call.settlement.value()
    }
}
