/// Whether and when to connect again to a stream of events (WHATWG HTML §9.2.3, processing model).
package struct EventReconnection {
    /// Where the stream has not said.
    static let defaultDelay = Duration.seconds(3)
    static let longestDelay = Duration.seconds(60)
    /// The shortest wait unless the caller allows a shorter one: as in Firefox.
    package static let standardMinimum = Duration.milliseconds(500)

    /// How many connections in a row may bring no event; then the last one's outcome is the whole's.
    let limit: Int
    /// How many connections there may be in all; nil for no limit.
    let connectionLimit: Int?
    /// Whether the request may be sent again: a POST would ask for everything a second time.
    var isRepeatable = true
    /// The shortest wait, whatever the stream asks for. It holds for connections that brought events: behind one that
    /// did not, `standardMinimum` does where it is longer.
    let minimumDelay: Duration
    private var fruitless = 0
    private var connections = 0
    /// Whether a response has come on any of them.
    var hasBegun = false

    package init(limit: Int, connectionLimit: Int? = nil, minimumDelay: Duration = standardMinimum) {
        self.limit = limit
        self.connectionLimit = connectionLimit
        self.minimumDelay = minimumDelay
    }

    enum Step {
        case connect(after: Duration)
        case end(Result<Void, HTTPError>)
    }

    /// The next step after a connection ends. `retry` is the reconnection time of the stream, `isEnough` whether the
    /// receiver wants no more events.
    mutating func step(
        after outcome: Result<Response, HTTPError>, broughtEvents: Bool, isEnough: Bool = false, retry: Duration?
    ) -> Step {
        let ending: Result<Void, HTTPError>
        switch outcome {
        case .success where isEnough: return .end(.success(()))
        case .success(let response) where response.status == .ok: ending = .success(())
        // The server's way to say that there will be no more.
        case .success(let response) where response.status == .noContent: return .end(.success(()))
        case .success(let response): return .end(.failure(.unacceptableStatus(response)))
        case .failure(let error):
            guard Self.mayPass(error) else { return .end(.failure(error)) }
            ending = .failure(error)
        }
        connections += 1
        fruitless = broughtEvents ? 0 : fruitless + 1
        hasBegun = hasBegun || broughtEvents || Self.hasResponse(outcome)
        let goesOn = isRepeatable && hasBegun && fruitless < limit && connections < connectionLimit ?? .max
        return goesOn ? .connect(after: delay(retry)) : .end(ending)
    }

    /// Whether a server answered, be it not to the end.
    private static func hasResponse(_ outcome: Result<Response, HTTPError>) -> Bool {
        switch outcome {
        case .success, .failure(.truncatedBody): true
        case .failure(.timedOut(let failure)): failure.phase == .receiving
        case .failure: false
        }
    }

    /// As the stream asked, and twice as long each time that a connection brought nothing again. A server decides
    /// neither that there is no wait nor that waits do not grow: it would have this machine flood it, or another.
    private func delay(_ retry: Duration?) -> Duration {
        let minimum = fruitless == 0 ? minimumDelay : max(minimumDelay, Self.standardMinimum)
        var delay = max(retry ?? Self.defaultDelay, minimum)
        for _ in 1..<max(fruitless, 1) where delay < Self.longestDelay { delay += delay }
        return fruitless > 1 ? min(delay, max(Self.longestDelay, retry ?? .zero, minimum)) : delay
    }

    /// Whether it may go better the next time.
    private static func mayPass(_ error: HTTPError) -> Bool {
        switch error {
        case .connection, .resolution, .truncatedBody: true
        // The whole call's time is over for all connections.
        case .timedOut(let failure): failure.limit != .total
        default: false
        }
    }
}
