import HTTPSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Exclusive access to the files of one directory, across threads and processes. The lock is on the directory itself,
/// so that no lock file remains.
struct FileTurn {
    private let file: FileDescriptor

    /// Waits for the lock. Creates the directory.
    init(_ directory: String) throws(ArchiveProblem) {
        do { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) } catch {
            throw ArchiveProblem("the directory cannot be made: check its path and permissions", path: directory)
        }
        do { file = FileDescriptor(try SystemCall.open(directory, O_RDONLY).get()) } catch {
            throw ArchiveProblem("the directory cannot be opened: check its permissions", path: directory)
        }
        while flock(file.number, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw ArchiveProblem("its file system has no locks: record on another disk", path: directory)
            }
        }
    }

    func end() { file.close() }
}

/// The identity and state of the file at a path. A rewritten file is another one.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil if there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
        #else
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        #endif
    }
}
