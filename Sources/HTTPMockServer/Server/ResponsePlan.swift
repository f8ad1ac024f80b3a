/// The steps of an answer. Made without a socket, so that every fault can be tested in the plan.
struct ResponsePlan: Equatable {
    enum Step: Equatable {
        case write([UInt8])
        case pause(Duration)
        /// Write in pieces of `size` bytes with a pause after each but the last.
        case trickle([UInt8], size: Int, pause: Duration)
        /// Write at a rate in bytes per second.
        case paced([UInt8], Int)
    }

    enum Ending: Equatable {
        case keepAlive
        case close
        case cut
        case reset
        case stall
    }

    private(set) var steps: [Step] = []
    private(set) var ending: Ending
    private let rate: Int?

    /// Bodies up to this size in bytes are copied after the head, to be sent in one write.
    static let largestJoinedBody = 65_536

    init(for response: MockResponse, to request: RequestHead) {
        let keepsAlive =
            response.keepAlive && request.allowsKeepAlive && response.framing != .untilClose
            && !response.headers.hasToken("close", in: "Connection")
        let announces = request.version == "HTTP/1.0"
        let bytes = ResponseBytes(
            response, to: request.method, isClosing: !keepsAlive, announcesKeepAlive: announces)
        ending = keepsAlive ? .keepAlive : .close
        rate = response.conditions.sendingRate
        let latency = response.conditions.latency ?? .zero
        if latency > .zero { steps.append(.pause(latency)) }
        for interim in response.informational { steps.append(.write(ResponseBytes.interim(interim))) }
        if response.headDelay > .zero { steps.append(.pause(response.headDelay)) }
        switch response.fault {
        case nil: write(bytes.head, bytes.body, delay: response.bodyDelay)
        case .close(let point): cut(bytes, at: point, delay: response.bodyDelay, ending: .close)
        case .closeWithoutNotify(let point): cut(bytes, at: point, delay: response.bodyDelay, ending: .cut)
        case .reset(let point): cut(bytes, at: point, delay: response.bodyDelay, ending: .reset)
        case .stall(let point): cut(bytes, at: point, delay: response.bodyDelay, ending: .stall)
        case .trickle(let size, let pause):
            steps.append(.trickle(bytes.head + bytes.body, size: max(1, size), pause: pause))
        case .resetStream, .goAway:
            // HTTP/1.1 has no frame for it.
            ending = .close
        case .garbage:
            steps.append(.write(MockFault.garbageBytes))
            ending = .close
        }
    }

    private mutating func cut(_ bytes: ResponseBytes, at point: MockFault.Point, delay: Duration, ending: Ending) {
        self.ending = ending
        switch point {
        case .beforeHead: break
        case .midHead: write(Array(bytes.head.prefix(bytes.head.count / 2)), [], delay: .zero)
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
