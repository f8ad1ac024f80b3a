import HTTPSupport

/// A file that is written under a temporary name and renamed when it is complete.
///
/// The new file keeps the permissions of the file it replaces; until then, only users who could read the old file can
/// read it. A file that replaces nothing has the permissions that the umask allows.
package final class FileReplacement {
    private let place: FilePlace
    private let temporaryPath: String
    private let descriptor: FileDescriptor
    /// The initial status of the file to be replaced. The permissions of another user's file are not copied.
    private let replaced: FileStatus?
    private var isOver = false

    /// Follows symbolic links: they stay, and their target is replaced.
    package convenience init(of path: String) throws(BodyProblem) {
        let place = try FilePlace(path)
        let name = ".incoming-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let replaced = place.status
        let mode: mode_t = replaced.map { $0.isOwn ? 0o600 : $0.permissions & 0o666 } ?? 0o666
        try self.init(place, through: "\(place.directory)/\(name)", mode: mode, replaced: replaced)
    }

    /// Replaces `path` itself by a file that only its owner can read. `temporaryPath` must be used by only one process
    /// at a time; an earlier file of that name is removed.
    package convenience init(ofPrivate path: String, through temporaryPath: String) throws(BodyProblem) {
        _ = unlink(temporaryPath)
        try self.init(FilePlace(exactly: path), through: temporaryPath, mode: 0o600, replaced: nil)
    }

    private init(
        _ place: FilePlace, through temporaryPath: String, mode: mode_t, replaced: FileStatus?
    ) throws(BodyProblem) {
        self.place = place
        self.temporaryPath = temporaryPath
        self.replaced = replaced
        do {
            descriptor = FileDescriptor(
                try SystemCall.open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode).get())
        } catch { throw Self.problem(error, place.path) }
    }

    deinit { abandon() }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(BodyProblem) {
        do { try Self.write(bytes, to: descriptor.number) } catch { throw Self.problem(error, place.path) }
    }

    /// Syncs the file and renames it.
    package func finish() throws(BodyProblem) { try finish(syncing: true) }

    /// Renames the file. One that was not synced may be lost, or empty, after a crash of the system.
    package func finish(syncing isSynced: Bool) throws(BodyProblem) {
        do throws(SystemError) {
            // Some file systems have no permissions.
            if let replaced, replaced.isOwn { _ = fchmod(descriptor.number, replaced.permissions) }
            if isSynced { _ = try SystemCall.sync(descriptor.number).get() }
            guard rename(temporaryPath, place.target) == 0 else { throw SystemError.current }
        } catch {
            abandon()
            throw Self.problem(error, place.path)
        }
        isOver = true
        descriptor.close()
        if isSynced { Self.sync(directory: place.directory) }
    }

    /// Removes the temporary file.
    package func abandon() {
        guard !isOver else { return }
        isOver = true
        descriptor.close()
        _ = unlink(temporaryPath)
    }

    /// Makes the rename of the file at `path` durable. Errors are ignored: some file systems cannot do it, and the file
    /// is already in place.
    package static func sync(directory: String) {
        guard let number = try? SystemCall.open(directory, O_RDONLY).get() else { return }
        _ = SystemCall.sync(FileDescriptor(number).number)
    }

    /// Writes all of `bytes`, in as many system calls as it takes.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try SignalGuard.fileSize { SystemCall.write(descriptor, rest) }.get()
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    package static func problem(_ error: SystemError, _ path: String) -> BodyProblem {
        BodyProblem(error.meansFull ? .diskFull : .unwritableFile, path: path, underlying: error)
    }
}
