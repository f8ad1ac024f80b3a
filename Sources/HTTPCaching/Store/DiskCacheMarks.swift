import HTTPFoundation
import HTTPSupport

/// Counts the removals in a directory, for all processes that share it: what was requested before one is not stored after
/// it.
///
/// It is a file of counters, one for all URLs and one for those of each hash, so that it stays below 17 KiB. A counter
/// that URLs share keeps a response from being stored now and then.
final class DiskCacheMarks: Sendable {
    /// How long a turn is waited for. A process that is stopped in its turn keeps it.
    private static let waitLimit = Duration.milliseconds(200)
    /// How long no turn is waited for after one that could not be had: calls would wait one after the other.
    private static let pause = Duration.seconds(1)
    private static let width = MemoryLayout<UInt32>.size
    /// A turn of this process, and the end of a pause. A forked child takes none of its parent's.
    private let turn = ForkLocal { Locked(TimePoint?.none) }

    /// What each removal of the responses under `name` changes.
    func mark(of name: String, in directory: CacheDirectory) -> UInt64 {
        let opened = SystemCall.open(directory.marks, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard case .success(let number) = opened else { return 0 }
        let file = FileDescriptor(number)
        return Self.places(of: name).reduce(0) { $0 << 32 | UInt64(Self.count(file, at: $1)) }
    }

    /// Lets `work` store something in its turn, and returns where it did. Nil if others keep theirs.
    func storing(in directory: CacheDirectory, _ work: () -> String?) -> String? {
        turn.value.withLock { pauseEnd in
            let file = Self.open(directory)
            defer { Self.leave(file) }
            return Self.enter(file, &pauseEnd) ? work() : nil
        }
    }

    /// Lets `work` remove the responses under `name`, or all without one, in its turn if it can be had. It calls `count`
    /// before it removes any.
    func removing(_ name: String?, in directory: CacheDirectory, _ work: (_ count: () -> Void) -> Void) {
        turn.value.withLock { pauseEnd in
            let file = Self.open(directory)
            defer { Self.leave(file) }
            _ = Self.enter(file, &pauseEnd)
            work {
                guard let file else { return }
                let place = name.flatMap { Self.places(of: $0).last } ?? 0
                withUnsafeBytes(of: (Self.count(file, at: place) &+ 1).littleEndian) { count in
                    _ = SignalGuard.fileSize { pwrite(file.number, count.baseAddress, count.count, off_t(place)) }
                }
            }
        }
    }

    private static func places(of name: String) -> [Int] { [0, width * (1 + (Int(name.prefix(3), radix: 16) ?? 0))] }

    private static func count(_ file: FileDescriptor, at place: Int) -> UInt32 {
        var count: UInt32 = 0
        _ = withUnsafeMutableBytes(of: &count) { SystemCall.read(file.number, into: $0, at: Int64(place)) }
        return UInt32(littleEndian: count)
    }

    /// Nil where it cannot be made. The turns are then those of the threads of this process.
    private static func open(_ directory: CacheDirectory) -> FileDescriptor? {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        return (try? SystemCall.open(directory.marks, flags, mode: 0o600).get()).map(FileDescriptor.init)
    }

    /// Some file systems have no locks.
    private static func enter(_ file: FileDescriptor?, _ pauseEnd: inout TimePoint?) -> Bool {
        guard let file else { return true }
        let start = TimePoint.now
        let mayWait = pauseEnd.map { $0 <= start } ?? true
        while flock(file.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            guard mayWait else { return false }
            guard TimePoint.now < start + waitLimit else {
                pauseEnd = .now + pause
                return false
            }
            _ = usleep(500)
        }
        return true
    }

    /// A forked child may have the file, too, so that closing it does not end the turn.
    private static func leave(_ file: FileDescriptor?) {
        if let file { _ = flock(file.number, LOCK_UN) }
    }
}
