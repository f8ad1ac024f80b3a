/// The steps of an answer. Made without a socket, so that every fault can be tested in the plan.
struct ResponsePlan: Equatable {
    enum Step: Equatable {
        case write([UInt8])
        case pause(Duration)
        /// Write at a rate in bytes per second.
        case paced([UInt8], Int)
    }

    private(set) var steps: [Step] = []
    let ending: FaultEffect.Ending
    private let rate: Int?

    /// Bodies up to this size in bytes are copied after the head, to be sent in one write.
    static let largestJoinedBody = 65_536

    init(for response: MockResponse, to request: RequestHead) {
        var response = response
        // It has no chunks (RFC 9112 §6.1).
        if request.version == "HTTP/1.0", case .chunked = response.framing { response.framing = .untilClose }
        let keepsAlive =
            response.keepsConnection && request.allowsKeepAlive && response.framing != .untilClose
            && !response.headers.hasToken("close", in: "Connection")
        let announces = request.version == "HTTP/1.0"
        let bytes = ResponseBytes(
            response, to: request.method, isClosing: !keepsAlive, announcesKeepAlive: announces)
        let effect = FaultEffect(of: response.fault)
        ending = effect.ending == .proceed && !keepsAlive ? .close : effect.ending
        rate = response.conditions.sendingRate
        let latency = response.conditions.latency ?? .zero
        if latency > .zero { steps.append(.pause(latency)) }
        for interim in response.informational { steps.append(.write(ResponseBytes.interim(interim))) }
        if response.headDelay > .zero { steps.append(.pause(response.headDelay)) }
        if let (size, pause) = effect.pieces {
            let delay = response.bodyDelay
            let parts = delay > .zero ? [bytes.head, bytes.body] : [bytes.head + bytes.body]
            let trickles = parts.map { part in
                stride(from: 0, to: part.count, by: size).map { [Step.write(Array(part[$0...].prefix(size)))] }
                    .joined(separator: [.pause(pause)])
            }
            steps += trickles.joined(separator: [.pause(delay)])
        } else if ending == .garbage {
            steps.append(.write(MockFault.garbageBytes))
        } else {
            write(bytes, upTo: effect.point, delay: response.bodyDelay)
        }
    }

    private mutating func write(_ bytes: ResponseBytes, upTo point: MockFault.Point, delay: Duration) {
        switch point {
        case .beforeHead: break
        case .midHead: add(Array(bytes.head.prefix(bytes.head.count / 2)))
        case .midBody(let count): write(bytes.head, Array(bytes.body.prefix(max(0, count))), delay: delay)
        case .afterBody: write(bytes.head, bytes.body, delay: delay)
        }
    }

    private mutating func write(_ head: [UInt8], _ body: [UInt8], delay: Duration) {
        if delay == .zero, body.count <= Self.largestJoinedBody { return add(head + body) }
        add(head)
        if delay > .zero { steps.append(.pause(delay)) }
        add(body)
    }

    private mutating func add(_ bytes: [UInt8]) {
        if !bytes.isEmpty { steps.append(rate.map { .paced(bytes, $0) } ?? .write(bytes)) }
    }
}
