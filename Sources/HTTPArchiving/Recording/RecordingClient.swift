/// Records the calls of another client in an archive file, and later replays them from it.
///
///     let client = try RecordingClient(CurlTransport(), file: "Fixtures/issues.har")
///
/// The first run calls the server and writes the file. Later runs answer from it, offline and always the same. The file
/// is HAR 1.2, which browsers and other tools can open. Secrets are masked before anything is written: see
/// `ArchiveRedaction`.
///
/// The file is replaced atomically when a call ends; a large file less often, so that writing takes at most a tenth of
/// the time. `save()` writes the rest, and so does releasing the last copy of the client, but only `save()` reports
/// errors. A call whose recording cannot be written fails with `.body`, whose `underlying` is the `ArchiveProblem`.
///
/// Any number of threads may use one client. Several clients, also in several processes, may share a file without
/// losing entries, except that `refresh` keeps those of one process. A call is recorded when it has ended: that of a
/// stream whose loop was left ends a moment later, and one that was cancelled is not recorded.
public struct RecordingClient: HTTPClient {
    /// When the client calls the server, and when it answers from the file.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Calls and records if the file is missing, otherwise only answers from it. A file written by this process is
        /// extended, so that concurrent tests can share one.
        case once
        /// Only answers from the file, which must exist.
        case offline
        /// Always calls, and replaces the entries of earlier processes.
        case refresh
        /// Answers from the file, and records missing responses.
        case extend
    }

    /// Matching, masking and limits of a `RecordingClient`.
    public struct Options: Sendable {
        /// The options of replaying, masking included.
        public var replay: ReplayClient.Options
        /// The maximum size of a body that is kept, in bytes. Of a larger one only the length is kept, and it cannot be
        /// replayed.
        public var bodyLimit: Int

        /// Options; a body of more than `bodyLimit` bytes, by default 10 MiB, is not kept.
        public init(replay: ReplayClient.Options = ReplayClient.Options(), bodyLimit: Int = 10 << 20) {
            self.replay = replay
            self.bodyLimit = bodyLimit
        }
    }

    private let client: any HTTPClient
    /// Nil if nothing is replayed.
    private let player: ArchivePlayer?
    /// Nil if nothing is recorded.
    private let file: RecordingFile?
    private let options: Options

    /// A client that records to the file at `path`, or answers from it. Throws if the file cannot be read.
    ///
    /// - Parameters:
    ///   - client: Makes the calls that are recorded.
    ///   - path: The file. Missing directories are created when it is written.
    ///   - mode: When the client calls the server, and when it answers from the file.
    ///   - options: Matching, masking and limits.
    public init(
        _ client: any HTTPClient, file path: some FileLocation, mode: Mode = .once, options: Options = Options()
    ) throws(ArchiveProblem) {
        let path = path.filePath
        self.client = client
        self.options = options
        let archive = try Self.archive(path, mode)
        player = archive.map {
            ArchivePlayer($0, name: "the recording \(path)", options.replay, bodyLimit: options.bodyLimit)
        }
        let records =
            switch mode {
            case .once: archive.map { $0.process == RecordingFile.process } ?? true
            case .offline: false
            case .refresh, .extend: true
            }
        file = records ? RecordingFile(path, replacesOthers: mode == .refresh) : nil
    }

    /// What is answered from; nil if there is nothing.
    private static func archive(_ path: String, _ mode: Mode) throws(ArchiveProblem) -> HTTPArchive? {
        guard mode == .offline || mode != .refresh && RecordingFile.status(path) != nil else { return nil }
        // What is written again must have been read whole.
        return try HTTPArchive(contentsOf: path, strict: mode == .extend)
    }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        guard let player else { return call(request) }
        var run = ReplayRun(request, player, by: clock, mayBeSent: file != nil)
        switch run.outcome() {
        case .done(let result): return result
        case .unanswered(let failure): return file == nil ? .failure(.other(failure)) : call(request)
        }
    }

    @available(*, noasync)
    private func call(_ request: Request) -> Result<Response, HTTPError> {
        let recording = CallRecording(request, options.replay.redaction, bodyLimit: options.bodyLimit)
        let outcome = client.executeRequest(recording.sent)
        do { try file?.add(recording.entries(of: outcome)) } catch {
            let record = CallRecord(request, metrics: (try? outcome.get().metrics) ?? Metrics())
            return .failure(.body(BodyFailure(.unwritableFile, path: error.path, underlying: error, record: record)))
        }
        return outcome
    }

    /// Writes recorded entries that are not yet in the file, if any.
    public func save() throws(ArchiveProblem) { try file?.save() }

    /// The entries of the file that have not been used; empty while recording.
    public var unused: [HTTPArchive.Entry] { player?.unused ?? [] }
}

extension ArchiveProblem: AdvisingError {
    package var advice: String? { reason }
}

/// Interceptors around it wait by the clock of the client it records.
extension RecordingClient: ClockedClient {
    package var clock: CallClock { client.callClock }
    package var answersItself: Bool { file == nil || client.isOffline }
}

extension RecordingClient: WrappingClient {
    package var wrapped: any HTTPClient { client }
    package var mayChangeRequests: Bool { false }
}
