import HTTPSupport

/// One loop over the downloads of a list. Releasing it cancels them.
final class DownloadLoop: Sendable {
    private let run: DownloadsRun

    init(_ downloads: Downloads) { run = DownloadsRun(downloads) }

    deinit {
        run.ended.close()
        run.token.cancel()
    }

    /// The next download that has ended; nil after the last.
    func next(isolation: isolated (any Actor)?) async -> EndedDownload? {
        await withTaskCancellationHandler(
            operation: {
                run.start()
                return await run.ended.nextUninterrupted(isolation: isolation).element
            }, onCancel: { run.token.cancel() }, isolation: isolation)
    }

    func nextBlocking() -> EndedDownload? {
        run.start()
        // A cancelled loop still gets what it has cancelled.
        return CancellationToken.$current.withValue(nil) { run.ended.nextBlocking() }?.element
    }
}

extension ChannelItem {
    fileprivate var element: Element? { if case .element(let element) = self { element } else { nil } }
}

/// The downloads of a list that are made beside each other, in lanes of one after the other, and what has ended.
private final class DownloadsRun: Sendable {
    private struct State {
        var isStarted = false
        /// How many have not ended.
        var left: Int
        var unbegun: Set<Int>
    }

    private let downloads: Downloads
    private let dispatcher: Dispatcher
    /// Room for all: nobody waits for the loop.
    let ended: Channel<EndedDownload>
    private let state: Locked<State>
    /// Those around the loop: each download is begun on another thread.
    private let values = CallerValues()
    private let deadline = CallDeadline.current
    let token = CancellationToken()
    private let registration: CancellationToken.Registration?

    init(_ downloads: Downloads) {
        self.downloads = downloads
        let count = downloads.requests.count
        ended = Channel(capacity: count)
        state = Locked(State(left: count, unbegun: Set(0..<count)))
        let outer = downloads.client is DetachedClient ? nil : CancellationToken.current
        registration = outer?.onCancel { [token] in token.cancel() }
        let width = max(1, downloads.maxConcurrent)
        dispatcher = downloads.dispatcher.apart(
            for: downloads.client, Dispatcher.Configuration(running: width, runningPerHost: width))
        if count == 0 { ended.finish(.success(())) }
    }

    deinit { registration?.remove() }

    /// The first call starts as many lanes as downloads run at once.
    func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        // Not behind those that work on a disk: it may hang.
        token.onCancel { [weak self] in
            if let self { dispatcher.runCallback { self.cancelUnbegun() } }
        }
        // It examines where the files are to be.
        dispatcher.runOnDisk { [self] in
            let list = DownloadList(downloads.requests)
            for _ in 0..<min(max(1, downloads.maxConcurrent), downloads.requests.count) { proceed(list, after: nil) }
        }
    }

    /// Begins the next download of a lane.
    private func proceed(_ list: DownloadList, after last: Int?) {
        var finished = last
        while !token.isCancelled, let index = list.next(after: finished) {
            finished = index
            do throws(HTTPError) { return try begin(index, of: list) } catch {
                if take(index) { deliver(index, .failure(error)) }
            }
        }
    }

    /// False if it has been cancelled.
    private func take(_ index: Int) -> Bool { state.withLock { $0.unbegun.remove(index) != nil } }

    private func cancelUnbegun() {
        let unbegun = state.withLock { exchange(&$0.unbegun, with: []) }
        for index in unbegun.sorted() { deliver(index, .failure(downloads.requests[index].cancellation)) }
    }

    private func begin(_ index: Int, of list: DownloadList) throws(HTTPError) {
        let progress = downloads.progress.map { report in { @Sendable in report(index, $0) } }
        let download = try list.call(index, by: downloads.client, progress: progress)
        let call = CallDeadline.$current.withValue(deadline) {
            dispatcher.call(
                download.client, download.request,
                to: .report { [self] outcome in
                    deliver(index, Result { () throws(HTTPError) in try download.download(outcome) })
                    // Not on this thread: it may be deep within the beginning of that download.
                    dispatcher.runOnDisk { [self] in proceed(list, after: index) }
                })
        }
        guard take(index) else { return }
        values.run { [dispatcher, token] in dispatcher.start(call, priority: .normal, token: token) }
    }

    /// Once for each download.
    private func deliver(_ index: Int, _ result: Result<Download, HTTPError>) {
        try? ended.send(EndedDownload(index: index, request: downloads.requests[index], result: result))
        // Counted behind it, so that the last one ends no earlier than the others are there.
        let isLast = state.withLock { state in
            state.left -= 1
            return state.left == 0
        }
        if isLast { ended.finish(.success(())) }
    }
}
