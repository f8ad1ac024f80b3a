/// The steps of an answer on a stream. Made without a connection, so that every fault can be tested in the plan.
struct HTTP2Plan: Equatable {
    enum Step: Equatable {
        case interim([HTTPHeaders.Field])
        case head([HTTPHeaders.Field], hasBody: Bool)
        case data([UInt8])
        case pause(Duration)
        /// Data at a rate in bytes per second.
        case paced([UInt8], Int)
        case end(trailers: [HTTPHeaders.Field])
        /// Finish running streams, and accept no others.
        case retire
    }

    private(set) var steps: [Step] = []
    let ending: FaultEffect.Ending

    init(for response: MockResponse, to method: HTTPMethod) {
        let latency = response.conditions.latency ?? .zero
        if latency > .zero { steps.append(.pause(latency)) }
        for interim in response.informational {
            steps.append(.interim(Self.status(interim.status) + interim.headers))
        }
        if response.headDelay > .zero { steps.append(.pause(response.headDelay)) }
        let effect = FaultEffect(of: response.fault)
        ending = effect.ending
        if effect.point != .beforeHead { write(response, method, effect) }
    }

    private mutating func write(_ response: MockResponse, _ method: HTTPMethod, _ effect: FaultEffect) {
        let body = method == .head || !response.mayHaveBody ? [] : response.body
        let isWhole = effect.point == .afterBody
        let hasBody = !isWhole || !body.isEmpty || !response.trailers.isEmpty
        // Before the last byte: after it the client may already send its next request.
        if !response.keepsConnection, !hasBody { steps.append(.retire) }
        steps.append(.head(Self.head(response), hasBody: hasBody))
        if !response.keepsConnection, hasBody { steps.append(.retire) }
        if response.bodyDelay > .zero { steps.append(.pause(response.bodyDelay)) }
        if case .midBody(let count) = effect.point {
            write(Array(body.prefix(max(0, count))), response.conditions.sendingRate, effect.pieces)
        } else if isWhole, hasBody {
            write(body, response.conditions.sendingRate, effect.pieces)
            steps.append(.end(trailers: Array(response.trailers)))
        }
    }

    private mutating func write(_ body: [UInt8], _ rate: Int?, _ pieces: (size: Int, pause: Duration)?) {
        if body.isEmpty { return }
        guard let pieces else {
            steps.append(rate.map { .paced(body, $0) } ?? .data(body))
            return
        }
        for start in stride(from: 0, to: body.count, by: pieces.size) {
            if start > 0 { steps.append(.pause(pieces.pause)) }
            steps.append(.data(Array(body[start..<min(start + pieces.size, body.count)])))
        }
    }

    private static func status(_ status: HTTPStatus) -> [HTTPHeaders.Field] {
        [HTTPHeaders.Field(name: ":status", value: "\(status.rawValue)")]
    }

    private static func head(_ response: MockResponse) -> [HTTPHeaders.Field] {
        var fields = status(response.status) + response.headers
        if response.framing == .contentLength, response.mayHaveBody, !response.headers.contains("Content-Length") {
            fields.append(HTTPHeaders.Field(name: "content-length", value: "\(response.body.count)"))
        }
        return fields
    }
}
