public import HTTPCore

/// Records what another client does in an archive in a file, and answers from it the next time.
///
///     let client = try RecordingClient(CurlTransport(), file: "Fixtures/issues.har")
///
/// The first run calls the server and writes the file; later ones answer from it, offline and always the same. The file
/// is HAR 1.2, which browsers and other tools open. Secrets are masked before anything is written: see
/// `ArchiveRedaction`.
///
/// The file is written anew when a call ends, whole or not at all; where it has become large, not more often than takes a
/// tenth of the time. `save()` writes what is left, and so does the end of the last copy of the client; only `save()`
/// reports what goes wrong then. A call whose recording cannot be written fails with `.body`.
///
/// Any number of threads may use one client. Several clients may share a file, also in several processes: none loses what
/// another one has written.
public struct RecordingClient: HTTPClient {
    /// When a call is made, and when it is answered from the file.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Without the file, calls and records; with it, only answers from it. A file that this process has written is
        /// added to, so that tests which share one can run at the same time.
        case once
        /// Only answers from the file, which must be there.
        case offline
        /// Calls always, and puts what it records in the place of what an earlier process has recorded.
        case refresh
        /// Answers from the file, and records the answers that are missing there.
        case extend
    }

    /// How a `RecordingClient` matches, masks and keeps.
    public struct Options: Sendable {
        /// How answers are found, and what is masked.
        public var replay: ReplayClient.Options
        /// Of a body with more bytes only the length is kept, and it cannot be answered with again.
        public var bodyLimit: Int

        /// Options; a body of more than `bodyLimit` bytes, by default 10 MiB, is not kept.
        public init(replay: ReplayClient.Options = ReplayClient.Options(), bodyLimit: Int = 10 << 20) {
            self.replay = replay
            self.bodyLimit = bodyLimit
        }
    }

    private let client: any HTTPClient
    /// Nil where nothing is answered from the file.
    private let player: ArchivePlayer?
    /// Nil where nothing is recorded.
    private let file: RecordingFile?
    private let recorder: CallRecorder

    /// A client that records in the file at `path`, or answers from it. Throws when the file cannot be read.
    ///
    /// - Parameters:
    ///   - client: Makes the calls that are recorded.
    ///   - path: The file. Directories on the way to it are made when it is written.
    ///   - mode: When a call is made, and when it is answered from the file.
    ///   - options: How answers are found, what is masked, and how much of a body is kept.
    public init(
        _ client: any HTTPClient, file path: some FileLocation, mode: Mode = .once, options: Options = Options()
    ) throws(ArchiveProblem) {
        let path = path.filePath
        self.client = client
        recorder = CallRecorder(redaction: options.replay.redaction, bodyLimit: options.bodyLimit)
        let plan = try RecordingPlan(path, mode: mode)
        player = plan.replayed.map { archive in
            let name = "the recording \(path)"
            return ArchivePlayer(archive, name: name, options.replay, bodyLimit: options.bodyLimit)
        }
        file = plan.records ? RecordingFile(path, replacesOthers: mode == .refresh) : nil
    }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        guard let player else { return call(request) }
        var run = ReplayRun(request, player, mayBeSent: file != nil)
        switch run.outcome() {
        case .done(let result): return result
        case .unanswered(let reason): return file == nil ? .failure(.unsupported(reason)) : call(request)
        }
    }

    @available(*, noasync)
    private func call(_ request: Request) -> Result<Response, HTTPError> {
        let recording = recorder.begin(request)
        let outcome = client.executeRequest(recording.sent)
        do { try file?.add(recording.entries(of: outcome)) } catch {
            let record = CallRecord(request, metrics: (try? outcome.get().metrics) ?? Metrics())
            return .failure(.body(BodyFailure(.unwritableFile, path: error.path, underlying: error, record: record)))
        }
        return outcome
    }

    /// Writes what is recorded and not yet in the file. Does nothing if there is nothing to write.
    public func save() throws(ArchiveProblem) { try file?.save() }

    /// The entries of the file that no request has got yet; empty while recording.
    public var unused: [HTTPArchive.Entry] { player?.unused ?? [] }
}

/// Interceptors around it wait as they would around the client it records.
extension RecordingClient: ClockedClient {
    package var clock: CallClock { client.callClock }
}

/// What a client does with its file, decided when it is made.
struct RecordingPlan {
    /// Answered from; nil for nothing.
    let replayed: HTTPArchive?
    let records: Bool

    init(_ path: String, mode: RecordingClient.Mode) throws(ArchiveProblem) {
        let archive = mode == .refresh ? nil : try Self.archive(path, mustExist: mode == .offline)
        replayed = archive
        switch mode {
        case .once: records = archive.map { $0.process == RecordingFile.process } ?? true
        case .offline: records = false
        case .refresh, .extend: records = true
        }
    }

    private static func archive(_ path: String, mustExist: Bool) throws(ArchiveProblem) -> HTTPArchive? {
        guard mustExist || ArchivePath.exists(path) else { return nil }
        return try HTTPArchive(contentsOf: path)
    }
}
