extension HTTPClient {
    /// Downloads several files, `maxConcurrent` at a time, each as `download(_:to:)` does.
    ///
    ///     let files = urls.map { DownloadRequest(.get($0), to: .directory("Downloads")) }
    ///     for await file in client.downloads(of: files) { print(file.index, try file.result.get().path) }
    ///     for file in client.downloads(of: files).blocking { print(file.index, try file.result.get().path) }
    ///
    /// Each loop makes the downloads, begins with those listed first, and gets each when it has ended. One that fails does
    /// not end the others. Leaving the loop cancels those that run; when the task or the `CancellationToken` around the
    /// loop is cancelled, each of them, and each that has not begun, has the result `.cancelled`. The next loop resumes
    /// what is unfinished; as long as a cancelled download has not let go of its part, that is `.body`.
    ///
    /// Two downloads never write to one file, and none replaces the file of another, even if the server gives both the same
    /// name: the later one gets a number. Those of one URL into one directory run one after the other. A path that is
    /// listed twice is `.invalidRequest` for the later one.
    ///
    /// - Parameters:
    ///   - requests: The downloads. A timeout that a request sets covers its whole transfer, from its own start. A
    ///     `CallDeadline` around the loop covers all of them.
    ///   - maxConcurrent: How many run at once, at least 1; 4 by default.
    ///   - progress: Called with the index of the download, at most ten times a second for each and at its end, on its
    ///     thread: several calls may run at once.
    ///   - dispatcher: Makes the exchanges. Its limits apply to them, that of calls to one host too.
    public func downloads(
        of requests: [DownloadRequest], maxConcurrent: Int = 4,
        progress: (@Sendable (_ index: Int, TransferProgress) -> Void)? = nil, on dispatcher: Dispatcher = .streams
    ) -> Downloads {
        Downloads(
            client: self, requests: requests, maxConcurrent: maxConcurrent, progress: progress, dispatcher: dispatcher)
    }
}

/// A download of a list that has ended.
public struct EndedDownload: Sendable {
    /// Its place in the list, from 0.
    public let index: Int
    /// What was asked for.
    public let request: DownloadRequest
    /// The file, or why there is none.
    public let result: Result<Download, HTTPError>
}

/// Several downloads, each delivered when it has ended; see `downloads(of:)` of a client.
public struct Downloads: AsyncSequence, Sendable {
    public typealias Failure = Never

    let client: any HTTPClient
    let requests: [DownloadRequest]
    let maxConcurrent: Int
    let progress: (@Sendable (Int, TransferProgress) -> Void)?
    let dispatcher: Dispatcher

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(downloads: self) }

    /// Awaits all of them. The results are in the order of the list.
    public func all(isolation: isolated (any Actor)? = #isolation) async -> [Result<Download, HTTPError>] {
        var ended: [EndedDownload] = []
        var iterator = makeAsyncIterator()
        while let next = await iterator.next(isolation: isolation) { ended.append(next) }
        return Self.inOrder(ended)
    }

    /// The downloads for blocking code: the iterating thread waits for each.
    @available(*, noasync, message: "iterate by for await")
    public var blocking: Blocking { Blocking(downloads: self) }

    private static func inOrder(_ ended: [EndedDownload]) -> [Result<Download, HTTPError>] {
        ended.sorted { $0.index < $1.index }.map(\.result)
    }

    /// One after the other, as they end; for one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let downloads: Downloads
        lazy var loop = DownloadLoop(downloads)

        public mutating func next(isolation actor: isolated (any Actor)?) async -> EndedDownload? {
            await loop.next(isolation: actor)
        }
    }

    /// See `blocking`.
    public struct Blocking: Sequence, Sendable {
        let downloads: Downloads

        public func makeIterator() -> Iterator { Iterator(downloads: downloads) }

        /// Waits for all of them. The results are in the order of the list.
        @available(*, noasync, message: "await all() of the downloads")
        public func all() -> [Result<Download, HTTPError>] { Downloads.inOrder(Array(self)) }

        /// One after the other, as they end; for one thread at a time.
        public struct Iterator: IteratorProtocol {
            let downloads: Downloads
            lazy var loop = DownloadLoop(downloads)

            @available(*, noasync, message: "iterate by for await")
            public mutating func next() -> EndedDownload? { loop.nextBlocking() }
        }
    }
}
