import HTTPSupport

/// The destination of a download: the part, from its end or from the first byte.
final class DownloadSink: Sendable {
    let part: PartialFile
    private let url: String
    /// Whether the server is asked about a complete part.
    private let isAsking: Bool
    /// In bytes, for the whole file. The engine counts those of one response.
    private let limit: Int
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private let state: Locked<State>

    private struct State {
        /// The last prepared start, with its record.
        var start = DownloadStart.fromNothing
        var record: DownloadRecord?
        /// The number of bytes that the part already had before the call.
        var kept: Int64
        /// Whether the last response was refused, and the part therefore emptied.
        var isRefused = false
    }

    init(
        _ part: PartialFile, url: String, isAsking: Bool, limit: Int,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) {
        self.part = part
        self.url = url
        self.isAsking = isAsking
        self.limit = limit
        self.progress = progress
        state = Locked(State(kept: part.size))
    }

    /// The number of bytes fetched since this was made.
    var fetchedByteCount: Int64 { part.size - state.withLock { $0.kept } }

    /// The start of the last prepared exchange.
    var start: DownloadStart { state.withLock { $0.start } }

    /// Whether the last response was no use. The part is then empty, so that no later exchange meets the same response.
    var isRefused: Bool { state.withLock { $0.isRefused } }

    /// Examines the part before an exchange, and returns where the exchange starts.
    func prepare() throws(BodyProblem) -> DownloadStart {
        let record = try part.record()
        let start = DownloadStart(record, size: part.size, url: url, isAsking: isAsking)
        state.withLock { ($0.start, $0.record, $0.isRefused) = (start, record, false) }
        return start
    }

    /// It does not keep this: a response has the request with its destination, and would keep the part open for as long as
    /// the program keeps the download.
    var destination: BodyDestination {
        let destination = BodyDestination.stream { [weak self, path = part.partPath] head in
            guard let self else { throw PartialFile.hasEnded(path) }
            return try sink(for: head)
        }
        return progress == nil ? destination.promptly() : destination
    }

    private func sink(for head: ResponseStart) throws -> BodySink {
        let (start, record) = state.withLock { ($0.start, $0.record) }
        let answer = DownloadAnswer(
            head.status, head.headers, length: head.bodyLength, to: start, record: record, url: url)
        return try sink(for: answer, record, isPart: head.status == .partialContent)
    }

    /// Prepares the part for the body.
    private func sink(for answer: DownloadAnswer, _ record: DownloadRecord?, isPart: Bool) throws -> BodySink {
        switch answer {
        case .append(let range, let total):
            guard total <= limit else {
                throw ResponseFault { [limit] in .limitExceeded(LimitExceeded(.body, value: limit, record: $0)) }
            }
            guard try part.has(range.lowerBound, of: record) else {
                throw try refusal("it is a part of another version of the file than the attempt before")
            }
            // The server did not send the length at first, but does now.
            if let record, record.total == nil { try part.note(record.with(total: total)) }
            try part.resume(at: range.lowerBound)
            state.withLock { $0.kept = min($0.kept, range.lowerBound) }
            let meter = ProgressMeter(total: total, startingAt: range.lowerBound, interval: .milliseconds(100))
            return sink(room: range.length, meter: meter)
        case .startOver(let record):
            try part.begin(record)
            state.withLock { $0.kept = 0 }
            let meter = ProgressMeter(total: record.total, interval: .milliseconds(100))
            return sink(room: isPart ? record.total ?? .max : .max, meter: meter)
        case .ignore: return BodySink(write: { _ in })
        case .refuse(let reason): throw try refusal(reason)
        }
    }

    /// Empties the part: the same request would get the same response, in this call and in every later one.
    func refusal(_ reason: String) throws(BodyProblem) -> ResponseFault {
        state.withLock { $0.isRefused = true }
        try part.forget()
        return .violation(reason, .framing)
    }

    private func sink(room: Int64, meter: ProgressMeter) -> BodySink {
        var (left, meter) = (room, meter)
        return BodySink(
            write: { [self] bytes in
                left -= Int64(bytes.count)
                guard left >= 0 else { throw try refusal("its body has more bytes than its Content-Range says") }
                try part.write(bytes)
                if let progress, let news = meter.add(bytes.count, at: .now) { progress(news) }
            },
            abandon: { [progress] in if let progress, let news = meter.breakOff(at: .now) { progress(news) } })
    }
}
