#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// How much a directory holds, and what goes when that is too much: what was not used for the longest time.
///
/// Each process counts what it writes and looks at the whole directory when that comes to a sixteenth of the capacity. So
/// several processes together exceed it by a sixteenth each, at most.
final class DiskCacheUsage: Sendable {
    private struct State {
        /// Nil before the directory was looked at.
        var written: Int64?
        /// When files were noted as used, in seconds since 1970: not each hit is worth a write.
        var noted: [String: Int] = [:]
    }

    private let capacity: Int64
    private let state = Locked(State())

    /// A use within so many seconds after the last one is not noted.
    private static let useInterval = 30
    private static let mostNoted = 4096
    /// For so many seconds a file without a lock is left alone.
    private static let newFileInterval = 60

    init(capacity: Int64) { self.capacity = capacity }

    func noteUse(of file: String) {
        let now = Int(Date().timeIntervalSince1970)
        let isDue = state.withLock { state in
            if let last = state.noted[file], now - last < Self.useInterval { return false }
            if state.noted.count >= Self.mostNoted { state.noted = [:] }
            state.noted[file] = now
            return true
        }
        if isDue { _ = SystemCall.setModified(now, at: file) }
    }

    func forget() { state.withLock { $0 = State() } }

    func add(_ byteCount: Int64, in directory: CacheDirectory) {
        let isDue = state.withLock { [capacity] state in
            let written = (state.written ?? capacity) + byteCount
            let isDue = written > capacity / 16
            state.written = isDue ? 0 : written
            return isDue
        }
        if isDue { makeRoom(in: directory) }
    }

    private struct File {
        let path: String
        let name: String
        let size: Int64
        let used: Int
    }

    /// One process at a time; the others go on meanwhile.
    private func makeRoom(in directory: CacheDirectory) {
        let opened = SystemCall.open(directory.lock, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard case .success(let lock) = opened else { return }
        defer { _ = close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
        var files: [File] = []
        for name in directory.names {
            let path = "\(directory.path)/\(name)"
            switch CacheDirectory.kind(of: name) {
            case .response(let start):
                guard case .success(let status) = SystemCall.status(at: path) else { continue }
                files.append(File(path: path, name: start, size: status.size, used: status.modified))
            case .temporary: removeIfLeft(path)
            case .pin, .other: break
            }
        }
        var total = files.reduce(0) { $0 + $1.size }
        guard total > capacity else { return }
        let goal = capacity - capacity / 16
        for file in files.sorted(by: { $0.used < $1.used }) where total > goal {
            guard !directory.exists(directory.pin(file.name)) else { continue }
            directory.remove(file.path)
            total -= file.size
        }
    }

    /// What is being written is locked; what has no lock was left by a process that was killed, unless it is so new that
    /// its writer has not got round to locking it.
    private func removeIfLeft(_ path: String) {
        guard case .success(let status) = SystemCall.status(at: path),
            Int(Date().timeIntervalSince1970) - status.modified > Self.newFileInterval
        else { return }
        let opened = SystemCall.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard case .success(let descriptor) = opened else { return }
        defer { _ = close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = unlink(path) }
    }
}
