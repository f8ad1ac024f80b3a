import HTTPSupport

/// Answers requests from the entries of an archive, and tracks which were used.
final class ArchivePlayer: Sendable {
    /// The result of a search for an answer.
    enum Find {
        case entry(Int)
        /// The last of them again.
        case again(Int)
        /// All matching entries were used; the number of them.
        case usedUp(Int)
        case nothing
    }

    let entries: [HTTPArchive.Entry]
    /// The entries of the file that could not be read.
    let skipped: [ArchiveProblem]
    let matcher: ArchiveMatcher
    let repeats: ReplayClient.Repeats
    /// The name of the archive in messages.
    let name: String
    private let redaction: ArchiveRedaction
    private let bodyLimit: Int
    private let values: [[ArchiveMatcher.Value]]
    private let isUsed: Locked<[Bool]>

    /// `bodyLimit`: Larger bodies are not compared.
    init(_ archive: HTTPArchive, name: String, _ options: ReplayClient.Options, bodyLimit: Int = 10 << 20) {
        self.bodyLimit = bodyLimit
        entries = archive.entries
        skipped = archive.skipped
        self.name = name
        matcher = options.matcher
        repeats = options.repeats
        redaction = options.redaction
        values = archive.entries.map { [redaction, matcher] in matcher.values(redaction.redacted($0.request)) }
        isUsed = Locked(Array(repeating: false, count: archive.entries.count))
    }

    var unused: [HTTPArchive.Entry] {
        zip(entries, isUsed.withLock { $0 }).filter { !$0.1 }.map(\.0)
    }

    /// The request without its secrets, for comparison and display. A single-use body that may still have to be sent is
    /// not read, and so equals any. One that cannot be read fails the call, as with a transport.
    func asked(_ request: Request, mayBeSent: Bool) throws(BodyProblem) -> HTTPArchive.Request {
        let body: ArchivedBody =
            request.body.isReplayable || !mayBeSent
            ? try request.body.read(limit: bodyLimit) : .left(size: -1, reason: "for a single use")
        return redaction.redacted(HTTPArchive.Request(request, body: body))
    }

    /// The request without its secrets, for display.
    func shown(_ index: Int) -> HTTPArchive.Request { redaction.redacted(entries[index].request) }

    /// The next entry that answers the request.
    func take(_ asked: HTTPArchive.Request) -> Find {
        let wanted = matcher.values(asked)
        let matches = values.indices.filter { matcher.isMatch(wanted, values[$0]) }
        guard let last = matches.last else { return .nothing }
        let next = isUsed.withLock { isUsed -> Int? in
            guard let next = matches.first(where: { !isUsed[$0] }) else { return nil }
            isUsed[next] = true
            return next
        }
        if let next { return .entry(next) }
        return repeats == .last ? .again(last) : .usedUp(matches.count)
    }

    /// A call could not be answered completely.
    func giveBack(_ indices: [Int]) {
        isUsed.withLock { isUsed in for index in indices { isUsed[index] = false } }
    }

    /// The nearest entry, and the differences.
    func nearest(_ asked: HTTPArchive.Request) -> (index: Int, differences: [ArchiveMatcher.Difference])? {
        let wanted = matcher.values(asked)
        let all = values.indices.map { ($0, matcher.differences(wanted, values[$0])) }
        return all.min { Self.distance($0.1) < Self.distance($1.1) }.map { (index: $0.0, differences: $0.1) }
    }

    /// Ordered by the number of differences, then by index.
    private static func distance(_ differences: [ArchiveMatcher.Difference]) -> Int {
        differences.reduce(0) { distance, difference in
            let common = zip(difference.asked.utf8, difference.recorded.utf8).prefix { $0 == $1 }.count
            let longest = max(difference.asked.utf8.count, difference.recorded.utf8.count)
            return distance + 10_000 + min(longest - common, 9_999)
        }
    }
}
