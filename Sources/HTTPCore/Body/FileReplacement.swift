import HTTPSupport

/// A file that is written under a temporary name and renamed when it is complete.
///
/// The new file keeps the permissions of the file it replaces; until then, only users who could read the old file can
/// read it. A file that replaces nothing has the permissions of its `mode` that the umask allows.
package final class FileReplacement {
    private let place: FilePlace
    private let temporaryPath: String
    private let descriptor: FileDescriptor
    /// The initial status of the file to be replaced. The permissions of another user's file are not copied.
    private let replaced: FileStatus?
    private var isOver = false

    /// Follows symbolic links: they stay, and their target is replaced.
    package convenience init(of path: String, mode: mode_t = 0o666) throws(BodyProblem) {
        let place = try FilePlace(path)
        let replaced = place.status
        let mode: mode_t = replaced.map { $0.isOwn ? 0o600 : $0.permissions & 0o666 } ?? mode
        // Always the same, so that the next one removes what a killed process has left.
        let usual = Self.temporaryPath(in: place.directory, Self.number(of: place.target))
        Self.removeLeftover(usual)
        if let file = try? Self.create(usual, mode), Self.isOwn(file, usual) {
            self.init(place, through: usual, file, replaced: replaced)
        } else {
            // Another call writes the same file.
            let own = Self.temporaryPath(in: place.directory, .random(in: 0 ... .max))
            do { self.init(place, through: own, try Self.create(own, mode), replaced: replaced) } catch {
                throw Self.problem(error, path)
            }
        }
    }

    /// Replaces `path` itself by a file that only its owner can read. `temporaryPath` must be used by only one process
    /// at a time; an earlier file of that name is removed.
    package convenience init(ofPrivate path: String, through temporaryPath: String) throws(BodyProblem) {
        _ = unlink(temporaryPath)
        do {
            let file = try Self.create(temporaryPath, 0o600)
            self.init(FilePlace(exactly: path), through: temporaryPath, file, replaced: nil)
        } catch { throw Self.problem(error, path) }
    }

    private init(_ place: FilePlace, through temporaryPath: String, _ file: FileDescriptor, replaced: FileStatus?) {
        self.place = place
        self.temporaryPath = temporaryPath
        descriptor = file
        self.replaced = replaced
    }

    private static func create(_ path: String, _ mode: mode_t) throws(SystemError) -> FileDescriptor {
        FileDescriptor(try SystemCall.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode).get())
    }

    deinit { abandon() }

    // MARK: Temporary files

    private static func temporaryPath(in directory: String, _ number: UInt64) -> String {
        "\(directory)/.incoming-\(String(number, radix: 36))"
    }

    /// FNV-1a: the same in every process.
    private static func number(of path: String) -> UInt64 {
        path.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Removes the file of a process that was killed. That of one that runs is locked.
    private static func removeLeftover(_ path: String) {
        // NFS locks only what may be written; a copy of a read-only file may not.
        let flags = O_NOFOLLOW | O_NONBLOCK
        let writable = try? SystemCall.open(path, O_RDWR | flags).get()
        guard let number = writable ?? (try? SystemCall.open(path, O_RDONLY | flags).get()) else { return }
        // It has the lock until the name is gone.
        withExtendedLifetime(FileDescriptor(number)) {
            let isUnlocked = flock(number, LOCK_EX | LOCK_NB) == 0 && SystemCall.isSameFile(number, path)
            if isUnlocked, (try? SystemCall.status(of: number).get().isOwn) == true { _ = unlink(path) }
        }
    }

    /// Locks a new file. False if another process took it for a leftover before that. Some file systems have no locks.
    private static func isOwn(_ file: FileDescriptor, _ path: String) -> Bool {
        (flock(file.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            && SystemCall.isSameFile(file.number, path)
    }

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
        // Before it is unlocked: then another may have the name.
        _ = unlink(temporaryPath)
        descriptor.close()
    }

    /// Makes the rename of a file in `directory` durable. Errors are ignored: some file systems cannot do it, and the file
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
