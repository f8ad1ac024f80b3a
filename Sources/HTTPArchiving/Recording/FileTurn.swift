import HTTPFoundation
import HTTPSupport

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
