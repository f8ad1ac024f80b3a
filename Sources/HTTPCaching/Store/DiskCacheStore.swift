import HTTPFoundation
import HTTPSupport
import Synchronization

/// Responses in a directory, one file each, shared by any number of processes.
///
/// A file appears complete: it is written under a temporary name and then linked or renamed, so that readers find the
/// old file, the new one, or none. A damaged or foreign file counts as missing. No failure here fails a call.
///
/// The directory is checked before each use: it may have been removed, replaced or opened to others meanwhile. One that
/// is gone is made anew, and one that cannot be trusted is not touched until it can.
final class DiskCacheStore: CacheStore {
    typealias Directory = Result<CacheDirectory, CacheDirectory.Problem>

    let capacity: Int64
    let largestBody: Int64
    private let path: String
    private let place: Locked<Directory>
    /// How often all responses were to be removed, and were.
    private let removals = Locked((asked: 0, done: 0))
    let usage: DiskCacheUsage
    private let marks = DiskCacheMarks()

    /// Files up to this size, in bytes, are read at once, and their bodies stay in memory.
    private static let smallFile = 64 << 10

    init(_ path: String, capacity: Int64) {
        self.capacity = max(0, capacity)
        largestBody = self.capacity / 4
        self.path = path
        place = Locked(Self.place(at: path))
        usage = DiskCacheUsage(capacity: self.capacity)
    }

    var isImmediate: Bool { false }

    private static func place(at path: String) -> Directory {
        Directory { () throws(CacheDirectory.Problem) in try CacheDirectory(path) }
    }

    /// Looks at the directory, so it blocks.
    var problem: String? {
        if case .failure(let problem) = check() { return problem.words }
        guard directory.isWritable else {
            return "its directory \(directory.path) cannot be written to: \(SystemError.current)"
        }
        guard directory.keepsPermissions else {
            return "others may read \(directory.marks): remove it, or choose a file system that keeps permissions"
        }
        return nil
    }

    /// The directory as it was found last. One that cannot be used is empty.
    var directory: CacheDirectory {
        (try? place.withLock { $0 }.get()) ?? CacheDirectory(unchecked: "/dev/null")
    }

    /// Finds out whether the directory can be used now.
    @discardableResult
    func check() -> Directory {
        var found = Self.place(at: path)
        if case .success(let directory) = found, !isEmptied(directory) {
            found = .failure(.init(words: "its directory \(path) cannot be listed to remove everything"))
        }
        place.withLock { [found] in $0 = found }
        return found
    }

    // MARK: Reading

    private struct Slot {
        let file: String
        let entry: CacheEntry
    }

    private func slots(_ name: String, _ key: CacheKey?, isPinned: Bool) -> [Slot] {
        (0..<CacheDirectory.slotCount).compactMap { slot in
            let file = directory.file(name, slot: slot)
            guard let (response, body) = read(file) else { return nil }
            guard key == nil || response.key == key else {
                // Someone put it there by hand.
                directory.remove(file)
                return nil
            }
            return Slot(file: file, entry: CacheEntry(response: response, body: body, isPinned: isPinned))
        }
    }

    func entries(for key: CacheKey) -> [CacheEntry] {
        check()
        let name = CacheDirectory.name(of: key)
        let slots = slots(name, key, isPinned: directory.exists(directory.pin(name)))
        for slot in slots { usage.noteUse(of: slot.file) }
        return slots.map(\.entry)
    }

    func mark(of key: CacheKey) -> UInt64 { marks.mark(of: CacheDirectory.name(of: key), in: directory) }

    /// Nil if there is no trustworthy file. A foreign file of this name is removed.
    private func read(_ file: String) -> (CachedResponse, CachedBody)? {
        let directory = directory
        switch directory.open(file) {
        case .missing: return nil
        case .foreign:
            directory.remove(file)
            return nil
        case .file(let descriptor, let status):
            defer { _ = close(descriptor) }
            let isSmall = status.size <= Int64(Self.smallFile)
            if !isSmall, let (response, preamble) = Self.readHead(descriptor, status.size) {
                return (response, .file(CachedFile(directory, file, preamble)))
            }
            if isSmall, let found = Self.readSmall(descriptor, Int(status.size)) { return found }
            directory.remove(file)
            return nil
        }
    }

    private static func readSmall(_ descriptor: CInt, _ size: Int) -> (CachedResponse, CachedBody)? {
        guard let bytes = bytes(descriptor, at: 0, size),
            let preamble = CacheFileFormat.Preamble(bytes.prefix(CacheFileFormat.preambleLength)),
            preamble.fileLength == Int64(size)
        else { return nil }
        let head = bytes[Int(preamble.headOffset)...]
        let body = bytes[Int(preamble.bodyOffset)..<Int(preamble.headOffset)]
        guard preamble.sum(of: head) == preamble.headSum, body.withUnsafeBytes(Checksum.of) == preamble.bodySum,
            let response = CacheFileFormat.response(head), response.bodyByteCount == preamble.bodyLength
        else { return nil }
        return (response, .data(Data(body)))
    }

    private static func readHead(_ descriptor: CInt, _ size: Int64) -> (CachedResponse, CacheFileFormat.Preamble)? {
        guard let start = bytes(descriptor, at: 0, CacheFileFormat.preambleLength),
            let preamble = CacheFileFormat.Preamble(start[...]), preamble.fileLength == size,
            let head = bytes(descriptor, at: preamble.headOffset, Int(preamble.headLength)),
            preamble.sum(of: head[...]) == preamble.headSum, let response = CacheFileFormat.response(head[...]),
            response.bodyByteCount == preamble.bodyLength
        else { return nil }
        return (response, preamble)
    }

    /// Nil if the file has fewer bytes.
    private static func bytes(_ descriptor: CInt, at offset: Int64, _ count: Int) -> [UInt8]? {
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
            while initialized < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[initialized...])
                guard
                    case .success(let read) = SystemCall.read(descriptor, into: rest, at: offset + Int64(initialized)),
                    read > 0
                else { return }
                initialized += read
            }
            isWhole = true
        }
        return isWhole ? bytes : nil
    }

    // MARK: Writing

    func makeWriter(for key: CacheKey) -> (any CacheWriter)? { DiskCacheWriter(self) }

    func insert(_ response: CachedResponse, _ body: Data, of flight: CacheFlight?) -> CacheEntry? {
        guard Int64(body.count) <= largestBody, let writer = DiskCacheWriter(self) else { return nil }
        body.withUnsafeBytes { writer.write($0) }
        return writer.finish(response, of: flight)
    }

    func replace(_ old: CacheEntry, by new: CachedResponse, of flight: CacheFlight?) -> CacheEntry? {
        guard let writer = DiskCacheWriter(self), let read = old.body.reader(), (try? read(writer.write)) != nil
        else { return nil }
        return writer.finish(new, of: flight)
    }

    /// Gives a written file its name, and returns that.
    func take(_ file: String, of response: CachedResponse, _ flight: CacheFlight?, byteCount: Int64) -> String? {
        let taken = marks.storing(in: directory) {
            if let mark = flight?.mark, mark != self.mark(of: response.key) { flight?.invalidate() }
            return flight?.isInvalidated == true ? nil : name(file, as: response)
        }
        if taken != nil { usage.add(byteCount, in: directory) }
        return taken
    }

    /// Renames the file to the name of the response for the same requests, else to a free name, else to that of the
    /// oldest.
    private func name(_ file: String, as response: CachedResponse) -> String? {
        let name = CacheDirectory.name(of: response.key)
        let variant = response.variant.digested
        let others = slots(name, nil, isPinned: false)
        let same = others.filter { $0.entry.response.key == response.key && $0.entry.response.variant == variant }
        guard !same.contains(where: { $0.entry.response.isLater(than: response) }) else { return nil }
        if let first = same.first {
            guard rename(file, first.file) == 0 else { return nil }
            // Two processes may have stored it at the same time.
            for duplicate in same.dropFirst() { directory.remove(duplicate.file) }
            return first.file
        }
        return linkToFreeName(file, name) ?? replaceOldest(of: others, with: file)
    }

    /// Unlike a rename, a link does not replace a file created meanwhile. Some file systems have no links, and what is lost
    /// there is an entry.
    private func linkToFreeName(_ file: String, _ name: String) -> String? {
        (0..<CacheDirectory.slotCount).lazy.map { [directory] in directory.file(name, slot: $0) }.first { target in
            guard !directory.exists(target) else { return false }
            return link(file, target) == 0 || (errno != EEXIST && rename(file, target) == 0)
        }
    }

    private func replaceOldest(of slots: [Slot], with file: String) -> String? {
        let oldest = slots.min { $0.entry.response.responseTime < $1.entry.response.responseTime }
        return oldest.flatMap { rename(file, $0.file) == 0 ? $0.file : nil }
    }

    // MARK: Removing

    func remove(_ response: CachedResponse) {
        check()
        let variant = response.variant.digested
        for slot in slots(CacheDirectory.name(of: response.key), response.key, isPinned: false)
        where slot.entry.response.variant == variant && slot.entry.response.responseTime == response.responseTime {
            directory.remove(slot.file)
        }
    }

    func removeAll(for key: CacheKey, keepsPin: Bool) {
        check()
        let (directory, name) = (directory, CacheDirectory.name(of: key))
        marks.removing(name, in: directory) { count in
            count()
            for slot in 0..<CacheDirectory.slotCount { directory.remove(directory.file(name, slot: slot)) }
        }
        if !keepsPin { directory.remove(directory.pin(name)) }
    }

    /// Nothing is used or stored until it is done.
    func removeAll() {
        removals.withLock { $0.asked += 1 }
        check()
        usage.forget()
    }

    /// Whether no removal of everything is due any more. One is, for example, after one without a descriptor left.
    private func isEmptied(_ directory: CacheDirectory) -> Bool {
        let (asked, done) = removals.withLock { $0 }
        guard done < asked else { return true }
        func isDone() -> Bool { removals.withLock { $0.done >= asked } }
        marks.removing(nil, in: directory) { count in
            // Another thread may have had its turn before. What was stored since then stays.
            guard !isDone(), let names = directory.names else { return }
            count()
            for name in names {
                switch CacheDirectory.kind(of: name) {
                case .response, .pin: directory.remove("\(directory.path)/\(name)")
                case .temporary, .other: break
                }
            }
            removals.withLock { $0.done = max($0.done, asked) }
        }
        return isDone()
    }

    // MARK: Keeping

    func setPinned(_ isPinned: Bool, for key: CacheKey) -> Bool {
        check()
        let name = CacheDirectory.name(of: key)
        let isStored = !slots(name, key, isPinned: false).isEmpty
        // A pin outlives its response, for the next one.
        if !isPinned { directory.remove(directory.pin(name)) }
        guard isPinned, isStored else { return isStored }
        let made = SystemCall.open(directory.pin(name), O_WRONLY | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard case .success(let descriptor) = made else { return false }
        _ = close(descriptor)
        return true
    }

    func list() -> [HTTPCache.Entry] {
        check()
        var names: Set<String> = []
        for name in directory.names ?? [] {
            if case .response(let start) = CacheDirectory.kind(of: name) { names.insert(start) }
        }
        return names.flatMap { name in
            slots(name, nil, isPinned: directory.exists(directory.pin(name))).map { HTTPCache.Entry($0.entry) }
        }
    }
}
