import HTTPFoundation
import HTTPSupport

/// The entries recorded by one client, and their file, which other clients may write, too.
final class RecordingFile: Sendable {
    /// Distinguishes the entries of this process from earlier ones.
    static let process = String(UInt64.random(in: 0 ... .max), radix: 36)

    /// A file below this size is written at the end of every call.
    private static let smallSize = 1 << 20

    private struct State {
        /// Own entries, encoded.
        var entries: [Data] = []
        var savedCount = 0
        var others = Others()
        var nextSave = ContinuousClock.now
    }

    /// The entries of other writers, and the file that they were read from: a rewritten one is another.
    private struct Others {
        /// The log without its entries; that of a new file if there are none.
        var archive = HTTPArchive()
        var entries: [Data] = []
        var file: FileStatus?

        init() { archive.process = RecordingFile.process }
    }

    private let path: String
    private let replacesOthers: Bool
    private let state = Locked(State())

    /// `replacesOthers`: Whether entries of earlier processes are removed.
    init(_ path: String, replacesOthers: Bool) {
        self.path = path
        self.replacesOthers = replacesOthers
    }

    deinit {
        // There is no caller left to receive the error.
        try? save()
    }

    /// Adds the entries, and writes the file if it is time.
    func add(_ entries: [HTTPArchive.Entry]) throws(ArchiveProblem) {
        let fragments = try entries.map(ArchiveText.fragment)
        let isTime = state.withLock { state in
            state.entries += fragments
            return ContinuousClock.now >= state.nextSave
        }
        if isTime { try save() }
    }

    func save() throws(ArchiveProblem) {
        guard state.withLock({ $0.savedCount < $0.entries.count }) else { return }
        let start = ContinuousClock.now
        let turn = try FileTurn(FilePlace.directory(of: path))
        defer { turn.end() }
        let (entries, known) = state.withLock { ($0.entries, $0.others) }
        var others = try others(known)
        let data = try ArchiveText.file(others.archive, entries: others.entries + entries)
        try ArchiveText.write(data, to: path)
        let now = ContinuousClock.now
        others.file = Self.status(path)
        state.withLock { [others] state in
            (state.savedCount, state.others) = (entries.count, others)
            state.nextSave = data.count < Self.smallSize ? now : now + start.duration(to: now) * 10
        }
    }

    /// Nil if there is no file.
    static func status(_ path: String) -> FileStatus? { try? SystemCall.status(behindLinksAt: path).get() }

    /// The entries of others; read again if the file has changed.
    private func others(_ known: Others) throws(ArchiveProblem) -> Others {
        var others = Others()
        guard let status = Self.status(path) else { return others }
        if known.file == status { return known }
        let found: HTTPArchive
        do { found = try HTTPArchive(contentsOf: path, strict: true) } catch {
            // What this process writes can be read.
            if replacesOthers { return others }
            throw error
        }
        guard !replacesOthers || found.process == Self.process else { return others }
        let own = Set(state.withLock { $0.entries })
        others.entries = try found.entries.map(ArchiveText.fragment).filter { !own.contains($0) }
        others.archive = found
        others.archive.entries = []
        others.archive.process = Self.process
        return others
    }
}
