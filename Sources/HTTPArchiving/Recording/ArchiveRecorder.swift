import HTTPSupport

/// Collects the exchanges of one client or several in memory, as an archive.
///
///     let recorder = ArchiveRecorder()
///     let client = CurlTransport().intercepted(by: .recording(into: recorder))
///     …
///     try recorder.archive.write(to: "calls.har")
///
/// Secrets are masked before anything is stored. Any thread may use all members.
public final class ArchiveRecorder: Sendable {
    fileprivate let redaction: ArchiveRedaction
    fileprivate let bodyLimit: Int
    private let entries = Locked<[HTTPArchive.Entry]>([])

    /// An empty recorder.
    ///
    /// - Parameters:
    ///   - redaction: The masking rules.
    ///   - bodyLimit: The maximum size of a body that is kept, in bytes. Of a larger body only the length is kept.
    public init(redaction: ArchiveRedaction = .standard, bodyLimit: Int = 10 << 20) {
        self.redaction = redaction
        self.bodyLimit = bodyLimit
    }

    /// The recorded exchanges, in the order in which their calls ended.
    public var archive: HTTPArchive { HTTPArchive(entries: entries.withLock { $0 }) }

    func add(_ new: [HTTPArchive.Entry]) { entries.withLock { $0 += new } }
}

extension Interceptor {
    /// Records every call when it ends, whatever its outcome; see `RecordingClient` for what is kept. Listed after
    /// `.retry()` it records each attempt, before it each call.
    public static func recording(into recorder: ArchiveRecorder) -> Interceptor {
        Interceptor(RecordingPolicy(recorder: recorder))
    }
}

private struct RecordingPolicy: PassingPolicy {
    let recorder: ArchiveRecorder
    private var recording: CallRecording?

    init(recorder: ArchiveRecorder) { self.recorder = recorder }

    mutating func before(_ moment: PolicyMoment) -> PolicyStep {
        let recording = CallRecording(moment.request, recorder.redaction, bodyLimit: recorder.bodyLimit)
        self.recording = recording
        return .send(recording.sent)
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        if let recording { recorder.add(recording.entries(of: outcome)) }
        return outcome
    }
}
