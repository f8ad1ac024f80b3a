extension ArchivePlayer {
    /// The failure of a request that it has no answer to. `asked` is that request as it is compared.
    func failure(of request: Request, _ asked: HTTPArchive.Request, _ find: Find) -> NotRecorded {
        let nearest = nearest(asked)
        return NotRecorded(
            request: request, nearest: nearest.map { entries[$0.index] }, sentence: sentence(asked, find, nearest))
    }

    private func sentence(
        _ asked: HTTPArchive.Request, _ find: Find, _ nearest: (index: Int, differences: [ArchiveMatcher.Difference])?
    ) -> String {
        let line = "\(asked.method) \(asked.url)"
        if case .usedUp(let count) = find {
            let times = count == 1 ? "once" : "\(count) times"
            return "\(name) has no more answers: \(line) was recorded \(times) and is asked for once more;"
                + " record it again, or let the last answer repeat (repeats: .last)"
        }
        guard let nearest else {
            return "\(name) has no answer to \(line), for it is empty: record it\(textOfSkipped)"
        }
        let entry = shown(nearest.index)
        let differences = nearest.differences.map(Self.text).joined(separator: "; ")
        let url = nearest.differences.contains { $0.name == "URL" } ? "" : ", \(entry.method) \(entry.url)"
        return "\(name) has no answer to \(line). The nearest is entry \(nearest.index)\(url): \(differences)."
            + " Record it again, or compare less (matcher)\(textOfSkipped)"
    }

    /// The entries that were not searched.
    private var textOfSkipped: String {
        guard let first = skipped.first else { return "" }
        let count = skipped.count
        return count == 1
            ? ". One entry cannot be read and was skipped: \(first)"
            : ". \(count) entries cannot be read and were skipped, first: \(first)"
    }

    private static func text(_ difference: ArchiveMatcher.Difference) -> String {
        let (asked, recorded) = excerpts(difference.asked, difference.recorded)
        return "\(difference.name) is \(asked) and was \(recorded)"
    }

    /// The text around the first difference, in quotes.
    private static func excerpts(_ asked: String, _ recorded: String) -> (String, String) {
        let limit = 160
        guard max(asked.count, recorded.count) > limit else { return (quoted(asked), quoted(recorded)) }
        let common = zip(asked, recorded).prefix { $0 == $1 }.count
        let start = max(common - 40, 0)
        func part(_ text: String) -> String {
            let part = text.dropFirst(start).prefix(limit)
            return (start > 0 ? "…" : "") + quoted(String(part)) + (text.count > start + limit ? "…" : "")
        }
        return (part(asked), part(recorded))
    }

    private static func quoted(_ text: String) -> String { text.isEmpty ? "empty" : text.debugDescription }
}
