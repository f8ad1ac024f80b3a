import HTTPFoundation
import HTTPSupport

/// Tracks the size of a directory and evicts the least recently used files when it is full.
///
/// Each process counts its own writes, and scans the directory once they reach a sixteenth of the capacity. Several
/// processes together exceed the capacity by at most a sixteenth each.
final class DiskCacheUsage: Sendable {
    private struct State {
        /// Nil before the first scan.
        var written: Int64?
        /// When each file was last marked as used, in seconds since 1970: not every hit is worth a write.
        var noted: [String: Int64] = [:]
        /// The bytes of bodies that are being received.
        var held: Int64 = 0
        /// Whether the last scan could not remove enough: pinned responses alone take more than all of the cache.
        var isFull = false
    }

    private let capacity: Int64
    private let state = Locked(State())

    /// A use within this many seconds of the last is not recorded.
    private static let useInterval: Int64 = 30
    private static let mostNoted = 4096
    /// A file without a lock is left alone for this many seconds.
    private static let newFileInterval: Int64 = 60

    init(capacity: Int64) { self.capacity = capacity }

    /// What a file of that many bytes takes of a disk, which gives it whole blocks.
    static func space(_ byteCount: Int64) -> Int64 { (byteCount + 4095) / 4096 * 4096 }

    func noteUse(of file: String) {
        let now = Int64(Date().timeIntervalSince1970)
        let isDue = state.withLock { state in
            // The clock may have been set back.
            if let last = state.noted[file], abs(now - last) < Self.useInterval { return false }
            if state.noted.count >= Self.mostNoted { state.noted = [:] }
            state.noted[file] = now
            return true
        }
        if isDue { _ = SystemCall.setModified(now, at: file) }
    }

    func forget() { state.withLock { $0 = State(held: $0.held) } }

    /// Whether there is room for that many more bytes of a body that is being received. They count as written, and as
    /// held until `release`: bodies that are only being received never take more than all of the cache.
    func reserve(_ byteCount: Int64, in directory: CacheDirectory) -> Bool {
        let isRoom = state.withLock { [capacity] state in
            guard state.held + byteCount <= capacity else { return false }
            state.held += byteCount
            return true
        }
        guard isRoom else { return false }
        add(byteCount, in: directory, isWritten: false)
        guard state.withLock(\.isFull) else { return true }
        // A pin may be gone since.
        makeRoom(for: byteCount, in: directory)
        guard state.withLock(\.isFull) else { return true }
        release(byteCount)
        return false
    }

    func release(_ byteCount: Int64) { state.withLock { $0.held -= byteCount } }

    /// `isWritten`: whether the files in the directory have these bytes already.
    func add(_ byteCount: Int64, in directory: CacheDirectory, isWritten: Bool = true) {
        let isDue = state.withLock { [capacity] state in
            let written = (state.written ?? 0) + byteCount
            let isDue = state.written == nil || written > capacity / 16
            state.written = isDue ? 0 : written
            return isDue
        }
        if isDue { makeRoom(for: isWritten ? 0 : byteCount, in: directory) }
    }

    private struct File {
        let path: String
        let name: String
        let size: Int64
        let used: Int64
    }

    /// Evicts files. Only one process does so at a time; the others continue meanwhile.
    private func makeRoom(for byteCount: Int64, in directory: CacheDirectory) {
        let opened = SystemCall.open(directory.lock, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard case .success(let lock) = opened else { return }
        defer { _ = close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
        let now = Int64(Date().timeIntervalSince1970)
        var files: [File] = []
        var total = byteCount
        for name in directory.names ?? [] {
            let path = "\(directory.path)/\(name)"
            switch CacheDirectory.kind(of: name) {
            case .response(let start):
                guard case .success(let status) = SystemCall.status(at: path) else { continue }
                // What is to come is the time of a clock that was wrong.
                let used = status.modified > now + Self.useInterval ? 0 : status.modified
                files.append(File(path: path, name: start, size: Self.space(status.size), used: used))
            case .temporary: total += removeIfLeft(path)
            case .pin, .other: break
            }
        }
        total += files.reduce(0) { $0 + $1.size }
        let goal = total > capacity ? capacity - capacity / 16 : capacity
        for file in files.sorted(by: { $0.used < $1.used }) where total > goal {
            guard !directory.exists(directory.pin(file.name)) else { continue }
            directory.remove(file.path)
            total -= file.size
        }
        state.withLock { [capacity, total] in $0.isFull = total > capacity }
    }

    /// Removes a temporary file left by a killed process. A file being written is locked. A file without a lock is left
    /// over, unless it is so new that its writer may not have locked it yet. Returns the size of one that stays.
    private func removeIfLeft(_ path: String) -> Int64 {
        guard case .success(let status) = SystemCall.status(at: path) else { return 0 }
        let space = Self.space(status.size)
        guard abs(Int64(Date().timeIntervalSince1970) - status.modified) > Self.newFileInterval else { return space }
        // NFS locks only what may be written.
        let opened = SystemCall.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
        guard case .success(let descriptor) = opened else { return 0 }
        defer { _ = close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return space }
        _ = unlink(path)
        return 0
    }
}
