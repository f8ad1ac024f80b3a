public import HTTPCore

/// Collects the exchanges of one client or several in memory, as an archive.
///
///     let recorder = ArchiveRecorder()
///     let client = CurlTransport().intercepted(by: .recording(into: recorder))
///     …
///     try recorder.archive.write(to: "calls.har")
///
/// Secrets are masked before anything is kept. All members may be used from any thread.
public final class ArchiveRecorder: Sendable {
    let calls: CallRecorder
    private let entries = Locked<[HTTPArchive.Entry]>([])

    /// A recorder without any exchange yet.
    ///
    /// - Parameters:
    ///   - redaction: What is masked.
    ///   - bodyLimit: Of a body with more bytes only the length is kept.
    public init(redaction: ArchiveRedaction = .standard, bodyLimit: Int = 10 << 20) {
        calls = CallRecorder(redaction: redaction, bodyLimit: bodyLimit)
    }

    /// What has been recorded, each call at the time when it ended.
    public var archive: HTTPArchive { HTTPArchive(entries: entries.withLock { $0 }) }

    func add(_ new: [HTTPArchive.Entry]) { entries.withLock { $0 += new } }
}

extension Interceptor {
    /// Records every call when it is over, whatever its outcome; see `RecordingClient` for what is kept of it. Listed
    /// behind `.retry()` it sees each attempt, before it each call.
    public static func recording(into recorder: ArchiveRecorder) -> Interceptor {
        Interceptor(RecordingPolicy(recorder: recorder))
    }
}

private struct RecordingPolicy: PassingPolicy {
    let recorder: ArchiveRecorder
    private var recording: CallRecorder.Recording?

    init(recorder: ArchiveRecorder) { self.recorder = recorder }

    mutating func before(_ moment: PolicyMoment) -> PolicyStep {
        let recording = recorder.calls.begin(moment.request)
        self.recording = recording
        return .send(recording.sent)
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        if let recording { recorder.add(recording.entries(of: outcome)) }
        return outcome
    }
}
