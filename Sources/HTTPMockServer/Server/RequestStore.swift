extension MockServer {
    /// Which requests a server keeps. All are counted.
    public enum Recording: Sendable, Hashable {
        /// Every request. Memory grows with each.
        case all
        /// None.
        case none
        /// The last ones, at least 1.
        case last(Int)
    }
}

/// The requests that a server keeps, and which of them were taken.
struct RequestStore: Sendable {
    /// A kept request behind one pointer, so that little is moved under the lock.
    final class Entry: Sendable {
        let request: ReceivedRequest
        init(_ request: ReceivedRequest) { self.request = request }
    }

    let recording: MockServer.Recording
    private var kept: [Entry] = []
    /// The number of requests removed before the first of `kept`.
    private var dropped = 0
    /// The number of requests taken, or removed without being taken.
    private var taken = 0

    init(_ recording: MockServer.Recording) { self.recording = recording }

    private var limit: Int {
        switch recording {
        case .all: .max
        case .none: 0
        case .last(let count): max(1, count)
        }
    }

    /// The entries, the oldest first.
    var all: ArraySlice<Entry> { kept.suffix(limit) }

    /// Returns the removed entries, to be released without the lock.
    mutating func append(_ entry: Entry) -> ArraySlice<Entry> {
        kept.append(entry)
        guard kept.count > limit else { return [] }
        taken = max(taken, dropped + kept.count - limit)
        // Removed in batches, so that the cost of each request stays constant.
        guard kept.count >= 2 * limit else { return [] }
        let rest = kept.suffix(limit)
        let gone = kept.prefix(kept.count - limit)
        dropped += gone.count
        kept = Array(rest)
        return gone
    }

    /// The oldest request not yet taken.
    mutating func take() -> ReceivedRequest? {
        guard taken < dropped + kept.count else { return nil }
        defer { taken += 1 }
        return kept[taken - dropped].request
    }
}
