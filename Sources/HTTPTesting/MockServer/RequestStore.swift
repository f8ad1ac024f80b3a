extension MockServer {
    /// Which requests a server keeps. The counts go on in any case.
    public enum Recording: Sendable, Hashable {
        /// Every request. Memory grows with each.
        case all
        /// None.
        case none
        /// The last so many, at least 1.
        case last(Int)
    }
}

/// The requests that a server keeps, and which of them were taken.
struct RequestStore: Sendable {
    let recording: MockServer.Recording
    private var kept: [ReceivedRequest] = []
    /// How many requests have come and gone before the first of `kept`.
    private var dropped = 0
    /// How many requests were taken or have gone untaken.
    private var taken = 0

    init(_ recording: MockServer.Recording) { self.recording = recording }

    private var limit: Int {
        switch recording {
        case .all: .max
        case .none: 0
        case .last(let count): max(1, count)
        }
    }

    var all: [ReceivedRequest] { Array(kept.suffix(limit)) }

    var hasUntaken: Bool { taken < dropped + kept.count }

    mutating func append(_ request: ReceivedRequest) {
        guard limit > 0 else { return }
        kept.append(request)
        guard kept.count > limit else { return }
        taken = max(taken, dropped + kept.count - limit)
        // Dropping a run at a time keeps the cost of each request constant.
        guard kept.count >= 2 * limit else { return }
        dropped += kept.count - limit
        kept.removeFirst(kept.count - limit)
    }

    /// The oldest request that was not taken yet.
    mutating func take() -> ReceivedRequest? {
        guard hasUntaken else { return nil }
        defer { taken += 1 }
        return kept[taken - dropped]
    }
}
