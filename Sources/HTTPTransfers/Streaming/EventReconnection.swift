/// Whether and when to reconnect to a stream of events (WHATWG HTML §9.2.3, processing model).
struct EventReconnection {
    /// The delay if the stream sets none.
    static let defaultDelay = Duration.seconds(3)
    /// A response that lasted as long counts as fruitful without an event, too: the server was there, and had nothing
    /// to say.
    static let longestDelay = Duration.seconds(60)
    /// The minimum delay unless the caller allows a shorter one, as in Firefox.
    static let standardMinimum = Duration.milliseconds(500)

    /// The result of the last connection that the options allow is that of the whole. Their minimum delay applies after
    /// a connection that brought events; after any other, at least `standardMinimum` applies.
    private let options: EventStreamOptions
    /// Whether the request may be sent again: a repeated POST would ask for everything a second time.
    private let isRepeatable: Bool
    private var fruitless = 0
    private var connections = 0
    /// Whether any connection brought a response.
    private var hasBegun = false

    init(_ options: EventStreamOptions, isRepeatable: Bool = true) {
        (self.options, self.isRepeatable) = (options, isRepeatable)
    }

    enum Step {
        case connect(after: Duration)
        case end(Result<Response, HTTPError>)
        /// So many connections in a row brought no event, and the last ended with a whole response.
        case giveUp(after: Int)
    }

    /// The next step after a connection ends that has `lasted` so long. `retry` is the stream's reconnection time;
    /// `hasHead` says whether any connection brought the head of a stream, and `isEnough` whether the receiver wants no
    /// more events.
    mutating func step(
        after outcome: Result<Response, HTTPError>, lasted: Duration = .zero, hasHead: Bool = false,
        broughtEvents: Bool, isEnough: Bool = false, retry: Duration?
    ) -> Step {
        switch outcome {
        case .success where isEnough: return .end(outcome)
        case .success(let response) where response.status == .ok: break
        // The server's way to end the stream.
        case .success(let response) where response.status == .noContent: return .end(outcome)
        case .success(let response): return .end(.failure(.unacceptableStatus(response)))
        case .failure(let error): if !Self.mayPass(error) { return .end(outcome) }
        }
        connections += 1
        let wasFruitful = broughtEvents || (lasted >= Self.longestDelay && Self.hasHeld(outcome))
        fruitless = wasFruitful ? 0 : fruitless + 1
        hasBegun = hasBegun || hasHead || broughtEvents || Self.hasResponse(outcome)
        guard isRepeatable, hasBegun, connections < options.connectionLimit ?? .max else { return .end(outcome) }
        if fruitless < options.failureLimit { return .connect(after: delay(retry)) }
        // A browser would go on for ever: that the reader gets no more is not the end that the server has set.
        if case .success = outcome, fruitless > 0 { return .giveUp(after: fruitless) }
        return .end(outcome)
    }

    /// Whether the server or the network ended the connection, and not a time limit.
    private static func hasHeld(_ outcome: Result<Response, HTTPError>) -> Bool {
        switch outcome {
        case .success, .failure(.truncatedBody): true
        case .failure(.connection(let failure)): failure.reason == .broken
        case .failure: false
        }
    }

    /// Whether a server responded, even incompletely.
    private static func hasResponse(_ outcome: Result<Response, HTTPError>) -> Bool {
        switch outcome {
        case .success, .failure(.truncatedBody): true
        case .failure(.timedOut(let failure)): failure.phase == .receiving
        case .failure: false
        }
    }

    /// The stream's delay, doubled for each consecutive fruitless connection. A server can neither remove the
    /// delay nor stop its growth: otherwise it could make this machine flood it, or another.
    private func delay(_ retry: Duration?) -> Duration {
        let minimum = fruitless == 0 ? options.minimumDelay : max(options.minimumDelay, Self.standardMinimum)
        var delay = max(retry ?? Self.defaultDelay, minimum)
        for _ in 1..<max(fruitless, 1) where delay < Self.longestDelay { delay += delay }
        return fruitless > 1 ? min(delay, max(Self.longestDelay, retry ?? .zero, minimum)) : delay
    }

    /// Whether a further attempt may succeed.
    private static func mayPass(_ error: HTTPError) -> Bool {
        switch error {
        case .connection, .resolution, .truncatedBody: true
        // The total time of the call is over for all connections.
        case .timedOut(let failure): failure.limit != .total
        case .tls(let failure): failure.reason == .handshake
        case .invalidRequest, .unsupported, .cancelled, .destinationRefused, .protocolViolation, .limitExceeded, .body,
            .interceptor, .redirect, .unacceptableStatus, .decoding, .other:
            false
        }
    }
}
