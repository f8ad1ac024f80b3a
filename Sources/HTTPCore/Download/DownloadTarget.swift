/// The destination of a download: the part, from its end or from the first byte.
final class DownloadTarget: Sendable {
    let part: PartialFile
    private let url: String
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private let state: Locked<State>

    private struct State {
        /// The last prepared start, with its record.
        var start = DownloadStart.fromNothing
        var record: DownloadRecord?
        /// The number of bytes that the part already had before the call.
        var kept: Int64
    }

    init(_ part: PartialFile, url: String, progress: (@Sendable (TransferProgress) -> Void)?) {
        self.part = part
        self.url = url
        self.progress = progress
        state = Locked(State(kept: part.size))
    }

    /// The number of bytes fetched since this was made.
    var fetchedByteCount: Int64 { part.size - state.withLock { $0.kept } }

    /// The start of the last prepared exchange.
    var start: DownloadStart { state.withLock { $0.start } }

    /// Examines the part before an exchange, and returns where the exchange starts.
    func prepare() throws(BodyProblem) -> DownloadStart {
        let record = try part.record()
        let start = DownloadStart(record, size: part.size, url: url)
        state.withLock { ($0.start, $0.record) = (start, record) }
        return start
    }

    var destination: BodyDestination {
        .stream { [self] head in
            let (room, meter) = try begin(head)
            return sink(room: room, meter: meter)
        }
    }

    /// Prepares the part for the body of `head`. Returns the maximum number of bytes.
    private func begin(_ head: ResponseStart) throws -> (room: Int64, ProgressMeter) {
        let (start, record) = state.withLock { ($0.start, $0.record) }
        switch DownloadAnswer(head.status, head.headers, to: start, record: record, url: url) {
        case .append(let range, let total):
            guard try part.has(range.lowerBound, of: record) else { throw ChangedOnServer() }
            // The server did not send the length at first, but does now.
            if let record, record.total == nil { try part.note(record.with(total: total)) }
            try part.goOn(at: range.lowerBound)
            state.withLock { $0.kept = min($0.kept, range.lowerBound) }
            let meter = ProgressMeter(total: total, startingAt: range.lowerBound, interval: .milliseconds(100))
            return (range.upperBound - range.lowerBound + 1, meter)
        case .startOver(let record):
            try part.begin(record)
            state.withLock { $0.kept = 0 }
            return (.max, ProgressMeter(total: record.total, interval: .milliseconds(100)))
        case .changed: throw ChangedOnServer()
        case .refuse(let reason): throw BrokenBodyContract(description: "the server \(reason)")
        }
    }

    private func sink(room: Int64, meter: ProgressMeter) -> BodySink {
        var (left, meter) = (room, meter)
        return BodySink(
            write: { [part, progress] bytes in
                left -= Int64(bytes.count)
                guard left >= 0 else {
                    throw BrokenBodyContract(description: "the server sent more bytes than its Content-Range says")
                }
                try part.write(bytes)
                if let progress, let news = meter.add(bytes.count, at: .now) { progress(news) }
            },
            abandon: { [progress] in if let progress, let news = meter.breakOff(at: .now) { progress(news) } })
    }
}

/// The server now has another version of the file, and sent a part of it.
struct ChangedOnServer: Error, CustomStringConvertible {
    var description: String { "the file on the server changes faster than it can be fetched" }
}
