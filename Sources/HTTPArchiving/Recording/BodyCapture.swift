import HTTPEngine
import HTTPFoundation
import HTTPSupport

/// Copies a body as it streams, up to a limit. Of a longer one only the length is kept.
final class BodyCapture: Sendable {
    private struct State {
        var data = Data()
        var count: Int64 = 0
        var hasBegun = false
        /// That of the response whose body it is.
        var status: HTTPStatus?
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) { self.limit = limit }

    /// A new exchange starts: the bytes of an earlier one are dropped.
    func begin(_ status: HTTPStatus? = nil) { state.withLock { $0 = State(hasBegun: true, status: status) } }

    func add(_ bytes: UnsafeRawBufferPointer) {
        let data = Data(bytes)
        state.withLock { state in
            state.count += Int64(data.count)
            if state.count <= Int64(limit) { state.data += data } else { state.data = Data() }
        }
    }

    /// That of a response of this status. A later one without a body leaves that of an attempt before.
    func body(of status: HTTPStatus) -> ArchivedBody? { state.withLock(\.status) == status ? body : nil }

    /// Nil if nothing was captured.
    var body: ArchivedBody? {
        let state = state.withLock { $0 }
        guard state.hasBegun else { return nil }
        return state.count > Int64(limit) ? .tooLarge(state.count, limit: limit) : .data(state.data)
    }
}

extension Request {
    /// The same request with its streamed bodies captured. Other bodies stay unchanged.
    func noting(upload: BodyCapture, download: BodyCapture) -> Request {
        guard body.hasStream || !destination.isMemory else { return self }
        var draft = MutableRequest(self)
        if body.hasStream { draft.body = body.noted(by: upload) }
        if !destination.isMemory { draft.destination = destination.noted(by: download) }
        return (try? Request(draft)) ?? self
    }
}

extension RequestBody {
    /// Whether it comes from a source, which cannot be read twice.
    var hasStream: Bool {
        switch content {
        case .empty, .data, .file: false
        case .stream: true
        case .multipart(let form): form.parts.contains { $0.body.hasStream }
        }
    }

    fileprivate func noted(by capture: BodyCapture) -> RequestBody {
        let length: Int64?
        // A source that cannot be opened fails the call with the error of the transport.
        do { length = try currentCount() } catch { return self }
        return .stream(length: length, contentType: contentType, replayable: isReplayable) {
            var stream = try open()
            capture.begin()
            var source = BodySource { room in
                let count = try stream.give(into: room)
                capture.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]))
                return count
            }
            source.isReady = { stream.isReady(orCall: $0) }
            return source
        }
    }

    /// The content, read again if it has no source; at most `limit` bytes.
    func archived(limit: Int) -> ArchivedBody {
        do { return try read(limit: limit) } catch {
            return .left(size: -1, reason: "not kept: it could not be read again")
        }
    }

    /// The content; at most `limit` bytes.
    func read(limit: Int) throws(BodyProblem) -> ArchivedBody {
        if case .empty = content { return .none }
        if case .data(let data) = content {
            return data.isEmpty ? .none : data.count > limit ? .tooLarge(Int64(data.count), limit: limit) : .data(data)
        }
        var stream = try open()
        if let length = stream.length, length > Int64(limit) { return .tooLarge(length, limit: limit) }
        var data = Data()
        while data.count <= limit, !stream.isFinished { data += try stream.piece(atMost: 64 << 10) }
        return data.count > limit ? .tooLarge(-1, limit: limit) : .data(data)
    }
}

extension BodyDestination {
    fileprivate func noted(by capture: BodyCapture) -> BodyDestination {
        wrapped { start, open in
            let sink = try open()
            capture.begin(start.status)
            return BodySink(
                write: { bytes in
                    // First: a sink that has seen enough throws, but these are the last that it got.
                    capture.add(bytes)
                    try sink.write(bytes)
                },
                finish: sink.finish, abandon: sink.abandon)
        }
    }
}
