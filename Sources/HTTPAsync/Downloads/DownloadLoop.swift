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

/// The threads that make the downloads of a list, each one after the other, and what has ended.
private final class DownloadsRun: Sendable {
    private struct State {
        var isStarted = false
        /// The threads that may still take a download.
        var threads = 0
        /// What each thread is at.
        var current: [Int: Int] = [:]
        var isDelivered: [Bool]
        var left: Int
    }

    private let downloads: Downloads
    private let madeList = Locked<DownloadList?>(nil)
    /// Room for all: a thread never waits for the loop.
    private let ended: Channel<EndedDownload>
    private let state: Locked<State>
    private let token = CancellationToken()
    private let registration: CancellationToken.Registration?

    init(_ downloads: Downloads) {
        self.downloads = downloads
        let count = downloads.requests.count
        ended = Channel(capacity: count)
        state = Locked(State(isDelivered: Array(repeating: false, count: count), left: count))
        let outer = downloads.client is DetachedClient ? nil : CancellationToken.current
        registration = outer?.onCancel { [token] in token.cancel() }
        if count == 0 { ended.finish(.success(())) }
    }

    deinit { registration?.remove() }

    /// Made on first use, by a thread that may wait for the file system.
    private var list: DownloadList {
        madeList.withLock { list in
            let made = list ?? DownloadList(downloads.requests)
            list = made
            return made
        }
    }

    /// The first call starts the threads.
    func start() {
        let count = min(max(1, downloads.maxConcurrent), downloads.requests.count)
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            if !state.isStarted { state.threads = count }
            return !state.isStarted
        }
        guard isFirst else { return }
        // Within a call of that dispatcher the first would make them all, on this thread.
        let isWithin = WorkerThread.worker?.pool === downloads.dispatcher.serving(downloads.client).pool
        let dispatcher =
            isWithin
            ? Dispatcher(Dispatcher.Configuration(running: count))
            : downloads.dispatcher.serving(downloads.client)
        let detached = downloads.client as? DetachedClient
        for thread in 0..<count {
            let completion = Completion<Void>.callback(.immediate) { self.end(thread, $0) }
            let call = dispatcher.call(host: nil, timeout: nil, isDetached: detached != nil, to: completion) { [self] in
                make(on: thread, detached?.next ?? downloads.client)
                return .success(())
            }
            dispatcher.start(call, priority: .normal, token: token)
        }
    }

    /// Makes downloads until none is left for this thread.
    @available(*, noasync)
    private func make(on thread: Int, _ client: any HTTPClient) {
        var finished: Int?
        while let index = list.next(after: finished) {
            state.withLock { $0.current[thread] = index }
            if token.isCancelled {
                deliver(index, .failure(downloads.requests[index].cancellation))
            } else {
                let progress = downloads.progress.map { report in { @Sendable in report(index, $0) } }
                deliver(index, list.run(index, by: client, progress: progress))
            }
            finished = index
        }
    }

    /// A thread ends: it found no more to do, was refused, or was given up because its download does not heed that it is
    /// cancelled. It may be the canceller's thread, which must not wait for the file system.
    private func end(_ thread: Int, _ outcome: Result<Void, HTTPError>) {
        let isCancelled = token.isCancelled
        let (current, unmade) = state.withLock { state in
            state.threads -= 1
            let current = state.current.removeValue(forKey: thread)
            // Those that no thread will make.
            let taken = state.threads == 0 || isCancelled ? Set(state.current.values) : Set(state.isDelivered.indices)
            return (current, state.isDelivered.indices.filter { !state.isDelivered[$0] && !taken.contains($0) })
        }
        guard case .failure(let error) = outcome else { return }
        for index in unmade {
            deliver(index, .failure(isCancelled && index != current ? downloads.requests[index].cancellation : error))
        }
    }

    /// The first result of a download counts.
    private func deliver(_ index: Int, _ result: Result<Download, HTTPError>) {
        let isNew = state.withLock { state in
            defer { state.isDelivered[index] = true }
            return !state.isDelivered[index]
        }
        guard isNew else { return }
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
