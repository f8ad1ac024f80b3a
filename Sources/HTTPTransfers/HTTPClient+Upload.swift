extension HTTPClient {
    /// Sends the file at `path` as the body of `request` and waits for the response. The file is never whole in memory.
    ///
    ///     try client.upload(.put(url), from: "video.mp4", contentType: "video/mp4", progress: { print($0.bytes) })
    ///
    /// A response that arrives before the whole file is sent ends the upload and is the result, whatever its status,
    /// except a 417 to `expectContinue`: the file is then sent once, without asking. The call has no total time limit
    /// unless the request sets one.
    ///
    /// - Parameters:
    ///   - request: The request that carries the file.
    ///   - path: The file.
    ///   - contentType: The media type of the file, unless the request has set or removed one; nil sends none.
    ///   - continueWait: How long to wait for the server's consent before the file is sent (`Expect: 100-continue`, RFC
    ///     9110 §10.1.1). Nil, the default, does not ask.
    ///   - progress: Called at most ten times a second, and at the end, on this thread.
    /// - Throws: As `send`; `.body` if the file cannot be read or changes meanwhile.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    @discardableResult
    public func upload(
        _ request: some RequestConvertible, from path: some FileLocation,
        contentType: String? = "application/octet-stream", expectContinue continueWait: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) throws(HTTPError) -> Response {
        let draft = request.asDraft()
        return try send(
            draft |> .file(path, contentType: draft.hasNoContentType ? nil : contentType)
                |> .ifLet(continueWait) { .expectContinue(wait: $0) }
                |> .ifLet(progress) { .uploadProgress($0) })
    }
}
