import HTTPSupport

/// A download on its way, as a policy around the client's own: it sends as many requests as the whole file takes, and
/// works on its files in between. So every driver of policies can make it, blocking or awaited.
struct DownloadPolicy: CallPolicy {
    let work: DownloadWork

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: return run { $0.begin() }
        case .answered(let outcome):
            guard case .failure = outcome else { return run { $0.take(outcome) } }
            // At once: as work it would be interrupted if the time is up, and end with another error.
            work.take(outcome)
            return work.step
        case .resumed: return work.step
        case .interrupted(let error): return .finish(.failure(error))
        }
    }

    /// A checksum may take long.
    private func run(_ change: @escaping @Sendable (DownloadWork) -> Void) -> PolicyStep {
        let run = { @Sendable [work] in change(work) }
        let cause = CallActivity.named("files")
        return work.isLong ? .run(because: cause, run) : .runOnDisk(because: cause, run)
    }
}

/// The files of one download before, between and after its exchanges. Any thread may use it, one at a time.
final class DownloadWork: Sendable {
    private struct State {
        /// Where the bytes go; nil before the part is open.
        var sink: DownloadSink?
        /// The last response that had a part of the file.
        var last: Response?
        /// How often the download has started over.
        var restarts = 0
        /// What the policy does next.
        var step = PolicyStep.pass
        /// The whole file.
        var download: Download?
    }

    private let run: DownloadRun
    private let state = Locked(State())

    /// How often the download starts over: because the file changed on the server, or because of what the server sent.
    private static let restartLimit = 5

    init(_ run: DownloadRun) { self.run = run }

    var isLong: Bool { run.sha256 != nil }
    var step: PolicyStep { state.withLock { $0.step } }
    var download: Download? { state.withLock { $0.download } }

    /// Looks whether the file is there, and opens its part.
    func begin() {
        proceed { () throws(HTTPError) in
            if let existing = try run.existing() {
                PartialFile.removeLeftovers(of: run.path)
                return finish(existing)
            }
            let sink = run.sink(to: try run.openPart())
            state.withLock { $0.sink = sink }
            // Another download may have finished before this one had the lock.
            if let existing = try run.existing() {
                sink.part.discard()
                return finish(existing)
            }
            return try send(to: sink)
        }
    }

    /// The outcome of an exchange.
    ///
    /// A retry requests the part that is then missing (`RenewalKey`).
    func take(_ outcome: Result<Response, HTTPError>) {
        guard let sink = state.withLock({ $0.sink }) else { return }
        let outcome = outcome.delivered(to: run.request)
        proceed { () throws(HTTPError) in try isComplete(outcome, sink) ? complete(sink) : send(to: sink) }
    }

    private func proceed(_ work: () throws(HTTPError) -> PolicyStep) {
        let step: PolicyStep
        do throws(HTTPError) { step = try work() } catch {
            if let part = state.withLock({ $0.sink?.part }) {
                if part.size == 0 { part.discard() }
                // The error may hold the part.
                part.unlock()
            }
            step = .finish(.failure(error))
        }
        state.withLock { $0.step = step }
    }

    /// For all that is missing.
    private func send(to sink: DownloadSink) throws(HTTPError) -> PolicyStep {
        let attempt = try run.attempt(into: sink)
        return sink.start == .atEnd ? try complete(sink) : .send(attempt)
    }

    /// Whether the part is the whole file. If not, the rest is requested, or all of it anew.
    private func isComplete(_ outcome: Result<Response, HTTPError>, _ sink: DownloadSink) throws(HTTPError) -> Bool {
        // Of the last exchange: a retry may have begun at another byte than the first.
        let (part, start) = (sink.part, sink.start)
        let restarts = state.withLock { $0.restarts }
        let mayRestart = start != .fromNothing && restarts < Self.restartLimit
        switch outcome {
        case .success(let response) where response.status == .ok || response.status == .partialContent:
            state.withLock { $0.last = response }
            guard let total = try run.files(part.record)?.total, part.size < total else { return true }
            // The part is shorter than requested: the rest is requested next.
            if response.status == .partialContent, part.size > start.offset { return false }
            // It has no further byte, and neither has the response to the same request.
            guard response.status == .partialContent, mayRestart else { throw run.truncated(part.size, of: total) }
            try run.files(part.forget)
        // The requested range begins after the end of the current version.
        case .success(let response) where response.status == 416 && mayRestart,
            .failure(.unacceptableStatus(let response)) where response.status == 416 && mayRestart:
            try run.files(part.forget)
        case .success(let response): throw .unacceptableStatus(response)
        case .failure where sink.isRefused && mayRestart: break
        case .failure(let error): throw error
        }
        state.withLock { $0.restarts += 1 }
        return false
    }

    private func complete(_ sink: DownloadSink) throws(HTTPError) -> PolicyStep {
        let size = sink.part.size
        let fetched = sink.fetchedByteCount
        try run.check(sink.part)
        let path = try run.complete(sink.part)
        let last = state.withLock { $0.last }
        let download = Download(path: path, byteCount: size, fetchedByteCount: fetched, response: last)
        run.reportEnd(of: download)
        return finish(download)
    }

    private func finish(_ download: Download) -> PolicyStep {
        state.withLock { $0.download = download }
        // A download that needed no exchange has no response. Nobody sees the failure: there is a file.
        return .finish(download.response.map { .success($0) } ?? .failure(.cancelled(nil)))
    }
}
