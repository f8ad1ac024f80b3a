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

    public init(code: Int32) { self.code = code }

    static var current: SystemError { SystemError(code: errno) }

    /// The system's words for it.
    public var description: String { String(cString: strerror(code)) }

    /// Whether it says that the disk, or what this user may have of it, is full.
    var meansFull: Bool { code == ENOSPC || code == EDQUOT }
}

/// The system's calls on files, begun anew when a signal interrupts them.
enum SystemCall {
    static func open(_ path: String, _ flags: CInt, mode: mode_t = 0) -> Result<CInt, SystemError> {
        retrying { systemOpen(path, flags | O_CLOEXEC, mode) }
    }

    static func read(_ descriptor: CInt, into room: UnsafeMutableRawBufferPointer) -> Result<Int, SystemError> {
        retrying { systemRead(descriptor, room.baseAddress, room.count) }
    }

    static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Result<Int, SystemError> {
        retrying { systemWrite(descriptor, bytes.baseAddress, bytes.count) }
    }

    static func sync(_ descriptor: CInt) -> Result<CInt, SystemError> { retrying { fsync(descriptor) } }

    /// Size of the file and whether it is a regular one.
    static func status(of descriptor: CInt) -> Result<(size: Int64, isRegular: Bool), SystemError> {
        var status = stat()
        return retrying { fstat(descriptor, &status) }.map { _ in (Int64(status.st_size), isRegular(status)) }
    }

    /// Whether there is something at `path`, behind symbolic links, and of what kind.
    static func isRegularFile(at path: String) -> Result<Bool, SystemError> {
        var status = stat()
        return retrying { stat(path, &status) }.map { _ in isRegular(status) }
    }

    /// Whether the open file is the one that has the name `path`.
    static func isSameFile(_ descriptor: CInt, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    /// `path` without symbolic links; nil where nothing is there.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

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

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
