/// Serves one HTTP/2 connection. One thread runs everything of the connection; handlers run on their own threads, one
/// for each stream, and pass their answers through the inbox.
final class HTTP2Connection {
    let number: Int
    let core: ServerCore
    let session: HTTP2Session
    let inbox: HTTP2Inbox
    let tls: TLSDetails?
    var exchanges: [Int32: HTTP2Exchange] = [:]
    var requestCount = 0
    private let stream: any ConnectionStream
    private var replies: [Int32: HTTP2Reply] = [:]
    /// Finished answers, closed once all earlier data has been sent: the library drops queued data of a stream that is
    /// reset.
    private var endings: [(Int32, FaultEffect.Ending)] = []
    /// How the connection ends once all data has been sent.
    private(set) var closing: FaultEffect.Ending?
    /// The last stream that a GOAWAY of a fault leaves.
    private(set) var lastServed = Int32.max

    private static let readSize = 32_768

    /// Nil if the process is out of descriptors or memory.
    init?(number: Int, stream: any ConnectionStream, tls: TLSDetails?, core: ServerCore) {
        guard let library = Nghttp2.shared, let inbox = try? HTTP2Inbox(),
            let session = HTTP2Session(library, core.options.http2.settings)
        else { return nil }
        self.number = number
        self.stream = stream
        self.tls = tls
        self.core = core
        self.inbox = inbox
        self.session = session
    }

    /// - Parameter prefix: The bytes already read.
    func serve(_ prefix: [UInt8]) {
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
        defer { scratch.deallocate() }
        var isAlive = prefix.withUnsafeBytes(receive)
        while isAlive {
            for event in session.takeEvents() { handle(event) }
            for message in inbox.takeAll() { handle(message) }
            let due = advance(.now)
            guard let count = flush() else { break }
            if !endings.isEmpty {
                for (id, ending) in endings { end(id, ending) }
                endings = []
                continue
            }
            if count == 0, let closing {
                close(closing)
                break
            }
            guard session.isOpen else { break }
            switch stream.readArrived(into: scratch) {
            case nil where count == 0:
                inbox.wait(for: stream.base, timeout: due.map { ContinuousClock.now.duration(to: $0) })
            case nil: break
            case 0: isAlive = false
            case let read?: isAlive = receive(UnsafeRawBufferPointer(rebasing: scratch[..<read]))
            }
        }
        // A request that came with what ended the connection is not begun.
        for event in session.takeEvents() { if case .invalid = event { handle(event) } }
        for stream in exchanges.keys.sorted() { abandon(stream) }
        if closing != .resetConnection { linger(scratch) }
    }

    /// Begins to answer on `id`.
    func reply(_ answer: MockResponse, on id: Int32, to method: HTTPMethod) {
        replies[id] = HTTP2Reply(HTTP2Plan(for: answer, to: method))
    }

    /// The answer is no longer wanted.
    func forget(_ id: Int32) { replies[id] = nil }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty, let failure = session.receive(bytes) else { return true }
        record(.malformed, failure, index: requestCount, Array(bytes.prefix(4_096)))
        return false
    }

    /// Does all due work, and returns when to look again.
    private func advance(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var next: [ContinuousClock.Instant] = []
        for id in exchanges.keys.sorted() { takeIn(id, now) }
        next += exchanges.values.compactMap(\.due)
        for id in replies.keys.sorted() {
            switch replies[id]?.advance(session, id, now) {
            case .waiting(let due): if let due { next.append(due) }
            case .done(let ending):
                replies[id] = nil
                endings.append((id, ending))
            case nil: break
            }
        }
        return next.min()
    }

    private func end(_ id: Int32, _ ending: FaultEffect.Ending) {
        switch ending {
        case .proceed: break
        case .reset(let code): session.reset(id, code)
        case .goAway(let code):
            // A request without an answer was not processed, which makes it safe to retry.
            lastServed = max(0, id - 2)
            session.goAway(code, last: lastServed)
            session.reset(id, .refusedStream)
        case .stall: break
        case .close, .cut, .resetConnection, .garbage: closing = closing ?? ending
        }
        guard case .answered(readsOn: false) = exchanges[id]?.early else { return }
        // RFC 9113 §8.1: the rest of the request is ignored.
        exchanges[id]?.isWhole = true
        if ending == .proceed { session.reset(id, .noError) }
    }

    /// Half-closes, and reads until the client has closed, too, or sends no more: while it reads the last answer, it sends
    /// WINDOW_UPDATE, to which a closed socket answers with a reset. A pool may keep the connection, and is not waited for.
    private func linger(_ scratch: UnsafeMutableRawBufferPointer) {
        stream.finishWriting()
        while stream.base.waitForArrival(or: core.stopSignal, timeout: .milliseconds(200)) == .watched,
            stream.base.readArrived(into: scratch) ?? 1 > 0
        {}
    }

    /// Writes pending data; returns the number of bytes, nil if the client has gone.
    private func flush() -> Int? {
        let bytes = session.takeLeaving()
        return bytes.isEmpty || stream.write(bytes[...]) ? bytes.count : nil
    }

    private func close(_ ending: FaultEffect.Ending) {
        switch ending {
        case .garbage: _ = stream.write(MockFault.garbageBytes[...])
        case .cut: stream.suppressCloseNotify()
        case .resetConnection:
            stream.suppressCloseNotify()
            stream.base.resetOnClose()
        case .proceed, .reset, .goAway, .close, .stall: break
        }
    }
}
