#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// An error of the operating system, with its number and words.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number, as in `errno`.
    public let code: Int32

    /// The error of a system call by its number, as in `errno`.
    public init(code: Int32) { self.code = code }

    package static var current: SystemError { SystemError(code: errno) }

    /// The system's words for it.
    public var description: String { String(cString: strerror(code)) }

    /// Whether it says that the disk, or what this user may have of it, is full.
    package var meansFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether it says that the process, or the whole system, has as many files and sockets open as it may.
    package var meansOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }

    /// What that means for a person, and what to do.
    package static let outOfDescriptors =
        "the process has no file descriptors left: raise its limit (ulimit -n), or make fewer calls at once"
}

/// The system's calls on files, begun anew when a signal interrupts them.
package enum SystemCall {
    package static func open(_ path: String, _ flags: CInt, mode: mode_t = 0) -> Result<CInt, SystemError> {
        // As a C string it would name another file.
        guard FilePlace.defect(of: path) == nil else { return .failure(SystemError(code: EINVAL)) }
        return retrying { systemOpen(path, flags | O_CLOEXEC, mode) }
    }

    /// Another descriptor of the same open file, with which it shares its position.
    package static func duplicate(_ descriptor: CInt) -> Result<CInt, SystemError> {
        retrying { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    package static func read(_ descriptor: CInt, into room: UnsafeMutableRawBufferPointer) -> Result<Int, SystemError> {
        retrying { systemRead(descriptor, room.baseAddress, room.count) }
    }

    package static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Result<Int, SystemError> {
        retrying { systemWrite(descriptor, bytes.baseAddress, bytes.count) }
    }

    package static func sync(_ descriptor: CInt) -> Result<CInt, SystemError> { retrying { fsync(descriptor) } }

    package static func status(of descriptor: CInt) -> Result<FileStatus, SystemError> {
        var status = stat()
        return retrying { fstat(descriptor, &status) }.map { _ in FileStatus(status) }
    }

    /// The status of `path` itself, even if it is a symbolic link.
    package static func status(at path: String) -> Result<FileStatus, SystemError> {
        var status = stat()
        return retrying { lstat(path, &status) }.map { _ in FileStatus(status) }
    }

    package static func status(behindLinksAt path: String) -> Result<FileStatus, SystemError> {
        var status = stat()
        return retrying { stat(path, &status) }.map { _ in FileStatus(status) }
    }

    /// Sets when the file at `path`, which is no link, was modified: seconds since 1970. When it was read last stays.
    package static func setModified(_ seconds: Int, at path: String) -> Result<CInt, SystemError> {
        let times = [timespec(tv_sec: 0, tv_nsec: omittedTime), timespec(tv_sec: seconds, tv_nsec: 0)]
        return retrying { utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) }
    }

    /// UTIME_OMIT, which is a macro that Swift does not import.
    private static var omittedTime: Int {
        #if canImport(Darwin)
        -2
        #else
        (1 << 30) - 2
        #endif
    }

    /// Whether there is something at `path`, behind symbolic links, and of what kind.
    package static func isRegularFile(at path: String) -> Result<Bool, SystemError> {
        status(behindLinksAt: path).map(\.isRegular)
    }

    /// Whether the open file is the one that has the name `path`.
    package static func isSameFile(_ descriptor: CInt, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    /// Whether two further files, as a pipe takes, cannot be opened now, by this process or by any.
    package static var isOutOfDescriptors: Bool {
        let files = (0..<2).map { _ in open("/dev/null", O_RDONLY).map(FileDescriptor.init) }
        return files.contains { file in
            if case .failure(let error) = file { error.meansOutOfDescriptors } else { false }
        }
    }

    /// What the symbolic link at `path` says; nil where that is not UTF-8.
    package static func destination(ofLink path: String) -> Result<String?, SystemError> {
        var room = [CChar](repeating: 0, count: 4096)
        return retrying { systemReadLink(path, &room) }.flatMap { count in
            guard count < room.count else { return .failure(SystemError(code: ENAMETOOLONG)) }
            return .success(String(validating: room[..<count], as: UTF8.self))
        }
    }

    private static func retrying<Value: SignedInteger>(_ call: () -> Value) -> Result<Value, SystemError> {
        while true {
            let value = call()
            if value >= 0 { return .success(value) }
            guard errno == EINTR else { return .failure(.current) }
        }
    }
}

private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { open(path, flags, mode) }

private func systemRead(_ descriptor: CInt, _ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, room, count)
}

private func systemReadLink(_ path: String, _ room: inout [CChar]) -> Int { readlink(path, &room, room.count) }

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
