import HTTPCore
import HTTPSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        /// Other entries in the file, and the state of the file they were read from.
        var others: Others?
        var nextSave = ContinuousClock.now
    }

    /// The entries of other writers.
    private struct Others {
        let archive: HTTPArchive
        let entries: [Data]
        let file: FileIdentity
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
        var fragments: [Data] = []
        for entry in entries { fragments.append(try ArchiveText.fragment(entry)) }
        let isTime = state.withLock { [fragments] state in
            state.entries += fragments
            return ContinuousClock.now >= state.nextSave
        }
        if isTime { try save() }
    }

    func save() throws(ArchiveProblem) {
        guard state.withLock({ $0.savedCount < $0.entries.count }) else { return }
        let start = ContinuousClock.now
        let turn = try FileTurn(ArchiveText.directory(of: path))
        defer { turn.end() }
        let (entries, known) = state.withLock { ($0.entries, $0.others) }
        let others = try others(known)
        let data = try ArchiveText.file(others?.archive ?? archive, entries: (others?.entries ?? []) + entries)
        try ArchiveText.write(data, to: path)
        let now = ContinuousClock.now
        let identity = FileIdentity(path)
        state.withLock { [others] state in
            state.savedCount = entries.count
            state.others = identity.map {
                Others(archive: others?.archive ?? archive, entries: others?.entries ?? [], file: $0)
            }
            state.nextSave = data.count < Self.smallSize ? now : now + start.duration(to: now) * 10
        }
    }

    /// The log of a new file.
    private var archive: HTTPArchive {
        var archive = HTTPArchive()
        archive.process = Self.process
        return archive
    }

    /// The entries of others; read again if the file has changed.
    private func others(_ known: Others?) throws(ArchiveProblem) -> Others? {
        guard let identity = FileIdentity(path) else { return nil }
        if let known, known.file == identity { return known }
        let found = try HTTPArchive(contentsOf: path, strict: true, isOwn: true)
        guard !replacesOthers || found.process == Self.process else { return nil }
        var fragments: [Data] = []
        for entry in found.entries { fragments.append(try ArchiveText.fragment(entry)) }
        let own = Set(state.withLock { $0.entries })
        var archive = found
        archive.entries = []
        archive.process = Self.process
        return Others(archive: archive, entries: fragments.filter { !own.contains($0) }, file: identity)
    }
}
