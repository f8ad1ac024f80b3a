/// An error of the operating system, with its number and message.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number, as in `errno`.
    public let code: Int32

    /// The error of a system call by its number, as in `errno`.
    public init(code: Int32) { self.code = code }

    package static var current: SystemError { SystemError(code: errno) }

    /// The system's message.
    public var description: String { String(cString: strerror(code)) }

    /// Whether the disk, or this user's quota, is full.
    package var meansFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the process or the whole system has reached its limit of open files.
    package var meansOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }

    /// What that means for a person, and what to do.
    package static let outOfDescriptors =
        "the process has no file descriptors left: raise its limit (ulimit -n), or make fewer calls at once"
}

/// File system calls, repeated when a signal interrupts them.
package enum SystemCall {
    package static func open(_ path: String, _ flags: CInt, mode: mode_t = 0) -> Result<CInt, SystemError> {
        // As a C string, a path with a NUL would name another file.
        guard !path.utf8.contains(0) else { return .failure(SystemError(code: EINVAL)) }
        return retrying { systemOpen(path, flags | O_CLOEXEC, mode) }
    }

    /// A second descriptor of the same open file. Both share one position.
    package static func duplicate(_ descriptor: CInt) -> Result<CInt, SystemError> {
        retrying { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    package static func read(_ descriptor: CInt, into room: UnsafeMutableRawBufferPointer) -> Result<Int, SystemError> {
        retrying { systemRead(descriptor, room.baseAddress, room.count) }
    }

    /// The same, which waits for bytes or the end even if the descriptor is one that does not block.
    package static func readWaiting(
        _ descriptor: CInt, into room: UnsafeMutableRawBufferPointer
    ) -> Result<Int, SystemError> {
        while true {
            let result = read(descriptor, into: room)
            guard case .failure(let error) = result, error.code == EAGAIN else { return result }
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&event, 1, -1)
        }
    }

    package static func read(
        _ descriptor: CInt, into room: UnsafeMutableRawBufferPointer, at offset: Int64
    ) -> Result<Int, SystemError> {
        retrying { pread(descriptor, room.baseAddress, room.count, off_t(offset)) }
    }

    package static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Result<Int, SystemError> {
        retrying { systemWrite(descriptor, bytes.baseAddress, bytes.count) }
    }

    package static func sync(_ descriptor: CInt) -> Result<CInt, SystemError> { retrying { fsync(descriptor) } }

    package static func status(of descriptor: CInt) -> Result<FileStatus, SystemError> {
        var status = stat()
        return retrying { fstat(descriptor, &status) }.map { _ in FileStatus(status) }
    }

    /// The status of `path` itself; a symbolic link is not followed.
    package static func status(at path: String) -> Result<FileStatus, SystemError> {
        var status = stat()
        return retrying { lstat(path, &status) }.map { _ in FileStatus(status) }
    }

    package static func status(behindLinksAt path: String) -> Result<FileStatus, SystemError> {
        var status = stat()
        return retrying { stat(path, &status) }.map { _ in FileStatus(status) }
    }

    /// Sets the modification time of the file at `path`, which is not a link, in seconds since 1970. The access time
    /// stays.
    package static func setModified(_ seconds: Int64, at path: String) -> Result<CInt, SystemError> {
        let times = [timespec(tv_sec: 0, tv_nsec: omittedTime), timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0)]
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

    /// Whether the open file is the one at `path`.
    package static func isSameFile(_ descriptor: CInt, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    /// Whether that many more descriptors, by default enough for a pipe, cannot be opened now, in this process or in the
    /// whole system.
    package static func isOutOfDescriptors(needing count: Int = 2) -> Bool {
        let files = (0..<count).map { _ in open("/dev/null", O_RDONLY).map(FileDescriptor.init) }
        return files.contains { file in
            if case .failure(let error) = file { error.meansOutOfDescriptors } else { false }
        }
    }

    /// The target of the symbolic link at `path`; nil if it is not UTF-8.
    package static func destination(ofLink path: String) -> Result<String?, SystemError> {
        var room = [CChar](repeating: 0, count: 4096)
        return retrying { systemReadLink(path, &room) }.flatMap { count in
            guard count < room.count else { return .failure(SystemError(code: ENAMETOOLONG)) }
            return .success(String(validating: room[..<count], as: UTF8.self))
        }
    }

    /// Renames a file, and fails with EEXIST if `target` is taken. Where that is not one step, an empty file has the name for a
    /// moment before.
    package static func rename(_ path: String, toFree target: String) throws(SystemError) {
        if let rename = exclusiveRename {
            if rename(path, target) == 0 { return }
            let error = SystemError.current
            // Some systems and file systems cannot do it.
            guard [ENOSYS, EINVAL, ENOTSUP].contains(error.code) else { throw error }
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        _ = close(try open(target, flags, mode: 0o600).get())
        guard systemRename(path, target) == 0 else {
            let error = SystemError.current
            _ = unlink(target)
            throw error
        }
    }

    /// Looked up: the C library declares Linux' function for GNU programs only, and the one of Apple's systems has another name.
    private static let exclusiveRename: (@Sendable (String, String) -> CInt)? = {
        typealias OnLinux =
            @convention(c) (
                CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, _ flags: CUnsignedInt
            ) -> CInt
        typealias OnApple = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, _ flags: CUnsignedInt) -> CInt
        if let address = dlsym(SystemLibrary.program, "renameat2") {
            let rename = unsafeBitCast(address, to: OnLinux.self)
            // RENAME_NOREPLACE.
            return { rename(AT_FDCWD, $0, AT_FDCWD, $1, 1) }
        }
        guard let address = dlsym(SystemLibrary.program, "renamex_np") else { return nil }
        let rename = unsafeBitCast(address, to: OnApple.self)
        // RENAME_EXCL.
        return { rename($0, $1, 4) }
    }()

    private static func retrying<Value: SignedInteger>(_ call: () -> Value) -> Result<Value, SystemError> {
        while true {
            let value = call()
            if value >= 0 { return .success(value) }
            guard errno == EINTR else { return .failure(.current) }
        }
    }
}

private func systemRename(_ path: String, _ target: String) -> CInt { rename(path, target) }

private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { open(path, flags, mode) }

private func systemRead(_ descriptor: CInt, _ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, room, count)
}

private func systemReadLink(_ path: String, _ room: inout [CChar]) -> Int { readlink(path, &room, room.count) }

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
