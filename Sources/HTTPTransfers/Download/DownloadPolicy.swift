import HTTPSupport

/// A download on its way, as a policy around the client's own: it sends as many requests as the whole file takes, and
/// works on its files in between. So every driver of policies can make it, blocking or awaited.
struct DownloadPolicy: CallPolicy {
    let work: DownloadWork

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: return run { $0.begin(in: moment) }
        case .answered(let outcome):
            guard case .failure = outcome else { return run { $0.take(outcome, in: moment) } }
            // At once: as work it would be interrupted if the time is up, and end with another error.
            work.take(outcome, in: moment)
            return work.step
        case .resumed: return work.step
        case .interrupted(let error): return work.end(with: error)
        }
    }

    /// A checksum may take long.
    private func run(_ change: @escaping @Sendable (DownloadWork) -> Void) -> PolicyStep {
        let run = { @Sendable [work] in change(work) }
        return work.isLong ? .run(because: .files, run) : .runOnDisk(because: .files, run)
    }
}

extension CallActivity {
    fileprivate static let files = named("files")
}

extension PolicyMoment {
    /// Why the call has ended since, if it has. Nothing else tells a blocking one, which does the work itself.
    fileprivate var ending: HTTPError? {
        if isCancelled { return cancelled(.files) }
        guard let deadline, deadline.point <= call.clock.now() else { return nil }
        return timedOut(.files)
    }
}

/// The files of one download before, between and after its exchanges. Any thread may use it, one at a time; another may end
/// the call meanwhile.
final class DownloadWork: Sendable {
    private struct State {
        /// Where the bytes go; nil before the part is open.
        var sink: DownloadSink?
        /// The last response that had a part of the file.
        var last: Response?
        /// How often the download has started over.
        var restarts = 0
        /// How many responses had only a little of what was asked for.
        var smallParts = 0
        /// What the policy does next.
        var step = PolicyStep.pass
        /// The whole file, in its place.
        var download: Download?
        /// Why the call ended before that. Then nothing is put in place any more.
        var ending: HTTPError?

        mutating func isOver(in moment: PolicyMoment) -> Bool {
            ending = ending ?? moment.ending
            return ending != nil
        }
    }

    private let run: DownloadRun
    private let state = Locked(State())

    /// How often the download starts over: because the file changed on the server, or because of what the server sent.
    private static let restartLimit = 5
    /// Each is a request; so many of fewer bytes than that are not made for one file.
    private static let (smallPartLimit, smallPart) = (1_000, Int64(64 << 10))

    init(_ run: DownloadRun) { self.run = run }

    var isLong: Bool { run.sha256 != nil }
    var step: PolicyStep { state.withLock { $0.step } }
    var download: Download? { state.withLock { $0.download } }

    /// Looks whether the file is there, and opens its part.
    func begin(in moment: PolicyMoment) {
        proceed { () throws(HTTPError) in
            let status = run.existingStatus
            if let existing = try run.existing(unless: { isOver(in: moment) }) {
                PartialFile.removeLeftovers(of: run.path)
                return finish(existing)
            }
            let sink = run.sink(to: try run.openPart())
            state.withLock { $0.sink = sink }
            // Another download may have finished before this one had the lock.
            if run.existingStatus != status, let existing = try run.existing(unless: { isOver(in: moment) }) {
                sink.part.discard()
                return finish(existing)
            }
            return try send(to: sink, in: moment)
        }
    }

    /// The outcome of an exchange.
    ///
    /// A retry requests the part that is then missing (`RenewalKey`).
    func take(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) {
        guard let sink = state.withLock({ $0.sink }) else { return }
        let outcome = outcome.delivered(to: run.request)
        proceed { () throws(HTTPError) in
            try isComplete(outcome, sink) ? complete(sink, in: moment) : send(to: sink, in: moment)
        }
    }

    /// The call ends with `error`, while a thread may still be at work. That stops, and is the one to unlock the part; but
    /// what has its place by now is a success.
    func end(with error: HTTPError) -> PolicyStep {
        state.withLock { state in
            if let download = state.download { return Self.finish(download) }
            state.ending = error
            return .finish(.failure(error))
        }
    }

    private func isOver(in moment: PolicyMoment) -> Bool { state.withLock { $0.isOver(in: moment) } }

    private func proceed(_ work: () throws(HTTPError) -> PolicyStep) {
        let step: PolicyStep
        do throws(HTTPError) { step = try work() } catch {
            if let part = state.withLock({ $0.sink?.part }) {
                if part.size == 0 { part.discard() }
                // The error may hold the part.
                part.unlock()
            }
            // What stops because the call is over throws anything.
            step = .finish(.failure(state.withLock { $0.ending } ?? error))
        }
        state.withLock { $0.step = step }
    }

    /// For all that is missing.
    private func send(to sink: DownloadSink, in moment: PolicyMoment) throws(HTTPError) -> PolicyStep {
        // Thrown so that the part is unlocked; the call has its error.
        if isOver(in: moment) { throw .cancelled(nil) }
        let attempt = try run.attempt(into: sink)
        guard sink.start == .atEnd else { return .send(attempt) }
        guard try run.wrongChecksum(of: sink.part, unless: { isOver(in: moment) }) != nil else {
            return try place(sink, in: moment)
        }
        // This call fetched nothing of it, and the server may have another version by now.
        try run.files(sink.part.forget)
        return try send(to: sink, in: moment)
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
            let (record, isPart) = (try run.files(part.record), response.status == .partialContent)
            guard let total = record?.total else {
                // That of a part says it. Without its record nobody knows what the file lacks.
                if isPart { throw part.recordLoss.failure(of: run.request) }
                return true
            }
            guard part.size < total else { return true }
            // The part is shorter than requested: the rest is requested next.
            let bytes = DownloadStart(record, size: part.size, url: run.request.url.string).offset - start.offset
            if isPart, bytes > 0, mayGoOn(after: bytes) { return false }
            // It has no further byte, and neither has the response to the same request.
            guard isPart, bytes <= 0, mayRestart else { throw run.truncated(part.size, of: total) }
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

    /// Whether the rest is requested after a response with so many bytes of it.
    private func mayGoOn(after bytes: Int64) -> Bool {
        guard bytes < Self.smallPart else { return true }
        return state.withLock { state in
            state.smallParts += 1
            return state.smallParts < Self.smallPartLimit
        }
    }

    private func complete(_ sink: DownloadSink, in moment: PolicyMoment) throws(HTTPError) -> PolicyStep {
        if let failure = try run.wrongChecksum(of: sink.part, unless: { isOver(in: moment) }) {
            sink.part.discard()
            throw failure
        }
        return try place(sink, in: moment)
    }

    private func place(_ sink: DownloadSink, in moment: PolicyMoment) throws(HTTPError) -> PolicyStep {
        let size = sink.part.size
        let fetched = sink.fetchedByteCount
        let last = state.withLock { $0.last }
        func download(_ path: String) -> Download {
            Download(path: path, byteCount: size, fetchedByteCount: fetched, response: last)
        }
        let path = try run.complete(sink.part) { (path, rename) throws(SystemError) in
            // Under the lock: whoever ends the call meanwhile waits for the rename, and knows what came of it.
            try state.withLock { (state) throws(SystemError) in
                guard !state.isOver(in: moment) else { throw SystemError(code: ECANCELED) }
                try rename()
                state.download = download(path)
            }
        }
        run.reportEnd(of: download(path))
        return finish(download(path))
    }

    private func finish(_ download: Download) -> PolicyStep {
        state.withLock { $0.download = download }
        return Self.finish(download)
    }

    private static func finish(_ download: Download) -> PolicyStep {
        // A download that needed no exchange has no response. Nobody sees the failure: there is a file.
        return .finish(download.response.map { .success($0) } ?? .failure(.cancelled(nil)))
    }
}
