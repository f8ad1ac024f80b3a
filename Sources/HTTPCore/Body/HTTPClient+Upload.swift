extension HTTPClient {
    /// Sends the file at `path` as the body of `draft`, without reading it whole, and waits for the answer.
    ///
    ///     client.upload(.put(url), from: "video.mp4", contentType: "video/mp4", progress: ProgressBar().show)
    ///
    /// A server that answers before it has the whole file ends the upload, and its answer is the result, whatever its
    /// status. There is no limit to the whole time unless the request sets one.
    ///
    /// - Parameters:
    ///   - draft: The request, to which the file is added.
    ///   - path: The file.
    ///   - contentType: The media type of the file, unless the request has set one.
    ///   - continueWait: Asks the server before the file is sent, and waits so long for its word (`Expect:
    ///     100-continue`, RFC 9110 §10.1.1). Nil, the default, does not ask.
    ///   - progress: Called at most ten times a second on this thread, and at the end.
    /// - Returns: The answer; `.body` for a file that cannot be read or changes meanwhile.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func upload(
        _ draft: MutableRequest, from path: some FileLocation, contentType: String = "application/octet-stream",
        expectContinue continueWait: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Result<Response, HTTPError> {
        executeRequest(
            draft |> .file(path, contentType: contentType) |> .ifLet(continueWait) { .expectContinue(wait: $0) }
                |> .ifLet(progress) { .uploadProgress($0) })
    }
}
