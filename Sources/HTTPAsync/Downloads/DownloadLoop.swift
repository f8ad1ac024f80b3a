import HTTPCore
import HTTPSupport
import HTTPTransfers

/// One loop over the downloads of a list. Releasing it cancels them.
final class DownloadLoop: Sendable {
    private let run: DownloadsRun

    init(_ downloads: Downloads) { run = DownloadsRun(downloads) }

    deinit { run.leave() }

    /// The next download that has ended; nil after the last.
    func next(isolation: isolated (any Actor)?) async -> EndedDownload? {
        await withTaskCancellationHandler(
            operation: {
                run.start()
                return await run.next(isolation: isolation)
            }, onCancel: { run.cancel() }, isolation: isolation)
    }

    func nextBlocking() -> EndedDownload? {
        run.start()
        return run.nextBlocking()
    }
}

/// The downloads of a list that are made beside each other, in lanes of one after the other, and what has ended.
private final class DownloadsRun: Sendable {
    private struct State {
        var isStarted = false
        /// How many have not ended.
        var left: Int
    }

    private let downloads: Downloads
    private let dispatcher: Dispatcher
    /// Room for all: nobody waits for the loop.
    private let ended: Channel<EndedDownload>
    private let state: Locked<State>
    private let token = CancellationToken()
    private let registration: CancellationToken.Registration?

    init(_ downloads: Downloads) {
        self.downloads = downloads
        let count = downloads.requests.count
        ended = Channel(capacity: count)
        state = Locked(State(left: count))
        let outer = downloads.client is DetachedClient ? nil : CancellationToken.current
        registration = outer?.onCancel { [token] in token.cancel() }
        // Within a call of that dispatcher they could need the slot of that call.
        let isWithin = Worker.current?.pool === downloads.dispatcher.serving(downloads.client).pool
        let width = max(1, downloads.maxConcurrent)
        let own = Dispatcher.Configuration(running: width, runningPerHost: width)
        dispatcher = isWithin ? Dispatcher(own) : downloads.dispatcher
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
        // It examines where the files are to be.
        dispatcher.runOnDisk { [self] in
            let list = DownloadList(downloads.requests)
            for _ in 0..<min(max(1, downloads.maxConcurrent), downloads.requests.count) { proceed(list, after: nil) }
        }
    }

    /// Begins the next download of a lane.
    private func proceed(_ list: DownloadList, after last: Int?) {
        var finished = last
        while let index = list.next(after: finished) {
            finished = index
            guard !token.isCancelled else {
                deliver(index, .failure(downloads.requests[index].cancellation))
                continue
            }
            do throws(HTTPError) { return try begin(index, of: list) } catch { deliver(index, .failure(error)) }
        }
    }

    private func begin(_ index: Int, of list: DownloadList) throws(HTTPError) {
        let progress = downloads.progress.map { report in { @Sendable in report(index, $0) } }
        let download = try list.call(index, by: downloads.client, progress: progress)
        let call = dispatcher.call(
            download.client, download.request,
            to: .report { [self] outcome in
                deliver(index, Result { () throws(HTTPError) in try download.download(outcome) })
                // Not on this thread: it may be deep within the beginning of that download.
                dispatcher.runOnDisk { [self] in proceed(list, after: index) }
            })
        dispatcher.start(call, priority: .normal, token: token)
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

    func cancel() { token.cancel() }

    func leave() {
        ended.close()
        token.cancel()
    }

    func next(isolation: isolated (any Actor)?) async -> EndedDownload? {
        Self.element(await ended.nextUninterrupted(isolation: isolation))
    }

    func nextBlocking() -> EndedDownload? {
        // A cancelled loop still gets what it has cancelled.
        Self.element(CancellationToken.$current.withValue(nil) { ended.nextBlocking() })
    }

    private static func element(_ item: ChannelItem<EndedDownload>?) -> EndedDownload? {
        switch item {
        case .element(let element): element
        case .end, nil: nil
        }
    }
}
