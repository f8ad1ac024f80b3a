import HTTPCore

/// A request on a stream, and how far it has come.
struct HTTP2Exchange {
    /// Whether the request is to be answered on the strength of its head alone.
    enum Early {
        /// A handler is being asked.
        case asked
        case no
        /// It was, and `readsOn` says whether its body is of interest all the same.
        case answered(readsOn: Bool)
    }

    let head: HTTP2RequestHead
    /// How many requests came before it on the connection.
    let index: Int
    var early = Early.no
    var body = RequestReader.RequestBody()
    /// Whether the client has sent all of it.
    var isWhole = false
    var isRecorded = false
    let pacer: Pacer?
    /// How many of the body's bytes the client was told to be taken in.
    private(set) var consumedCount = 0

    init(_ head: HTTP2RequestHead, index: Int, pacer: Pacer?) {
        self.head = head
        self.index = index
        self.pacer = pacer
    }

    mutating func append(_ bytes: [UInt8], limit: Int) {
        body.bytes += bytes.prefix(max(0, limit - body.bytes.count))
        body.count += bytes.count
    }

    /// How many more bytes are taken in at `now`.
    mutating func consume(at now: ContinuousClock.Instant) -> Int {
        let start = consumedCount
        while let next = nextCount, pacer.map({ $0.due(after: next) <= now }) ?? true { consumedCount = next }
        return consumedCount - start
    }

    /// When more of what has come is taken in; nil when all was.
    var due: ContinuousClock.Instant? { nextCount.flatMap { pacer?.due(after: $0) } }

    /// Whether all of the request was sent and taken in.
    var isComplete: Bool { isWhole && consumedCount == body.count }

    private var nextCount: Int? {
        guard consumedCount < body.count else { return nil }
        return min(body.count, consumedCount + (pacer?.pieceSize ?? body.count))
    }
}
