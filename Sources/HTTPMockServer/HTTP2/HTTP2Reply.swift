/// A running answer on a stream.
struct HTTP2Reply {
    enum Progress: Equatable {
        /// Look again at this time; nil if the client has to act first.
        case waiting(ContinuousClock.Instant?)
        case done(FaultEffect.Ending)
    }

    private var steps: ArraySlice<HTTP2Plan.Step>
    private let ending: FaultEffect.Ending
    private var due: ContinuousClock.Instant?
    /// The state of the first step, once it has begun.
    private var pacer: Pacer?
    private var pacedCount = 0

    init(_ plan: HTTP2Plan) {
        steps = plan.steps[...]
        ending = plan.ending
    }

    /// Does all due work at `now`.
    mutating func advance(_ session: HTTP2Session, _ stream: Int32, _ now: ContinuousClock.Instant) -> Progress {
        while true {
            if let due, due > now { return .waiting(due) }
            due = nil
            guard session.hasTakenAll(of: stream) else { return .waiting(nil) }
            guard let step = steps.first else { return .done(ending) }
            if case .paced(let bytes, let rate) = step {
                pace(bytes, rate, session, stream, now)
                continue
            }
            steps.removeFirst()
            switch step {
            case .interim(let fields): session.sendInterim(fields, on: stream)
            case .head(let fields, let hasBody): session.sendHead(fields, on: stream, hasBody: hasBody)
            case .data(let bytes): session.sendBody(bytes[...], on: stream)
            case .pause(let duration): due = now + duration
            case .paced: break
            case .retire: session.goAway(.noError, last: session.lastStream)
            case .end(let trailers): session.endBody(trailers, on: stream)
            }
        }
    }

    /// Sends the due piece, or sets its time.
    private mutating func pace(
        _ bytes: [UInt8], _ rate: Int, _ session: HTTP2Session, _ stream: Int32, _ now: ContinuousClock.Instant
    ) {
        let pacer = pacer ?? Pacer(rate: rate, start: now)
        let end = min(pacedCount + pacer.pieceSize, bytes.count)
        let time = pacer.due(after: end)
        self.pacer = pacer
        guard time <= now else {
            due = time
            return
        }
        session.sendBody(bytes[pacedCount..<end], on: stream)
        pacedCount = end
        if end == bytes.count {
            steps.removeFirst()
            self.pacer = nil
            pacedCount = 0
        }
    }
}
