/// A request on a stream and its progress.
struct HTTP2Exchange {
    /// Whether the request is answered when only its head has arrived.
    enum Early {
        /// A handler is deciding.
        case asked
        case no
        /// The request is answered early. `readsOn`: whether its body is read anyway.
        case answered(readsOn: Bool)
    }

    let head: HTTP2RequestHead
    /// The number of earlier requests on the connection.
    let index: Int
    var early = Early.no
    var body = RequestReader.RequestBody()
    /// Whether the client has sent it completely.
    var isWhole = false
    var isRecorded = false
    var pacer: Pacer?
    /// The number of body bytes by which the window was extended.
    private(set) var consumedCount = 0

    /// How many more bytes are consumed at `now`.
    mutating func consume(at now: ContinuousClock.Instant) -> Int {
        let start = consumedCount
        while let next = nextCount, pacer.map({ $0.due(after: next) <= now }) ?? true { consumedCount = next }
        return consumedCount - start
    }

    /// When more bytes are consumed; nil if all are.
    var due: ContinuousClock.Instant? { nextCount.flatMap { pacer?.due(after: $0) } }

    /// Whether the whole request was sent and consumed.
    var isComplete: Bool { isWhole && consumedCount == body.count }

    private var nextCount: Int? {
        guard consumedCount < body.count else { return nil }
        return min(body.count, consumedCount + (pacer?.pieceSize ?? body.count))
    }
}
