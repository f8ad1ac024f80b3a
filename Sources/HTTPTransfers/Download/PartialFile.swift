import HTTPSupport
import Synchronization

/// The fetched part of a file, stored beside the final name, with its record.
///
/// While open it is locked against other downloads to the same path. Data is written to the system at once, so a killed
/// process loses none of it.
///
/// Both files must belong to the user of this process and have no second name, and links are not followed. Otherwise
/// another user could pass off a file as the download, or cause a file to be overwritten. The open files are checked.
/// Only this user can read them.
final class PartialFile: Sendable {
    private let place: FilePlace
    private let descriptor: CInt
    /// Whether another download may have it. A client that does not observe its cancellation still writes.
    private let isUnlocked = Atomic(false)

    init(of path: String) throws(BodyProblem) {
        place = try FilePlace(path)
        // Checked before the part is created. The last one has the longest name.
        if case .failure(let error) = SystemCall.status(at: Self.newRecordPath(of: place.target)),
            error.code == ENAMETOOLONG
        {
            throw FileReplacement.problem(error, path)
        }
        _ = try Self.record(at: Self.recordPath(of: place.target)) as DownloadRecord?
        descriptor = try Self.openLocked(Self.partPath(of: place.target), named: path)
    }

    var partPath: String { Self.partPath(of: place.target) }
    private var recordPath: String { Self.recordPath(of: place.target) }
    /// The path of a record that is being written. If the process is killed, the next one removes the file.
    private var newRecordPath: String { Self.newRecordPath(of: place.target) }

    private static func partPath(of target: String) -> String { target + ".partial" }

    private static func recordPath(of target: String) -> String { target + ".partial.json" }

    private static func newRecordPath(of target: String) -> String { recordPath(of: target) + ".new" }

    /// Removes the record beside the whole file at `path`, after the part was renamed or a process was killed before it
    /// removed the record. This needs the lock of the next part: the record may already be that of another download. A
    /// record of another user stays.
    static func removeLeftovers(of path: String) {
        guard let target = try? FilePlace(path).target else { return }
        let isLeft = [recordPath(of: target), partPath(of: target)].contains {
            (try? SystemCall.status(behindLinksAt: $0).get().isRegular) == true
        }
        if isLeft, let part = try? PartialFile(of: target), part.size == 0 { part.discard() }
    }

    deinit {
        // Of a call that was cancelled before its first byte.
        if size == 0, !isUnlocked.load(ordering: .acquiring) { discard() }
        _ = close(descriptor)
    }

    /// Checks that the open file still has its name: another download may have renamed it. It may be one that was cancelled
    /// and ends just now.
    private static func openLocked(_ partPath: String, named path: String) throws(BodyProblem) -> CInt {
        let end = TimePoint.now + .milliseconds(200)
        while true {
            let descriptor = try open(partPath, O_RDWR | O_CREAT, named: path)
            do throws(BodyProblem) {
                try requireOwn(descriptor, partPath)
                let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
                if !isLocked {
                    guard errno == EWOULDBLOCK, TimePoint.now < end else { throw lockProblem(.current, path) }
                    _ = Signal().wait(until: .now + .milliseconds(5))
                } else if SystemCall.isSameFile(descriptor, partPath) {
                    // An earlier version left it readable. Some file systems have no permissions.
                    _ = fchmod(descriptor, 0o600)
                    return descriptor
                }
            } catch {
                _ = close(descriptor)
                throw error
            }
            _ = close(descriptor)
        }
    }

    /// Opening a pipe does not wait for its other end.
    private static func open(_ file: String, _ flags: CInt, named path: String) throws(BodyProblem) -> CInt {
        do { return try SystemCall.open(file, flags | O_NOFOLLOW | O_NONBLOCK, mode: 0o600).get() } catch {
            guard let status = try? SystemCall.status(at: file).get() else {
                throw FileReplacement.problem(error, path)
            }
            throw status.isLink ? distrust(file, "it is a symbolic link") : FileReplacement.problem(error, file)
        }
    }

    private static func loss(of path: String) -> BodyProblem {
        let words = BrokenBodyContract(description: "it was removed during the download: try again", isAdvice: true)
        return BodyProblem(.unwritableFile, path: path, underlying: words)
    }

    /// Somebody has removed the record.
    var recordLoss: BodyProblem { Self.loss(of: recordPath) }

    private static func requireOwn(_ descriptor: CInt, _ path: String) throws(BodyProblem) {
        let status = try SystemCall.status(of: descriptor).mapError { FileReplacement.problem($0, path) }.get()
        guard status.isRegular else { throw distrust(path, "it is not a regular file") }
        guard status.isOwn else { throw distrust(path, FileTrust.owner(status)) }
        guard status.links < 2 else {
            throw distrust(path, "it has \(status.links) names, and to write to it would change another file")
        }
    }

    private static func distrust(_ path: String, _ words: String) -> BodyProblem {
        FileTrust.problem(path, "\(words); no download goes on with such a file")
    }

    private static func lockProblem(_ error: SystemError, _ path: String) -> BodyProblem {
        let words =
            error.code == EWOULDBLOCK
            ? "another download to the same place is under way: wait for its end, or choose another path"
            : "its file system keeps no two downloads apart (\(error)): choose a directory on another one"
        return BodyProblem(
            .unwritableFile, path: path, underlying: BrokenBodyContract(description: words, isAdvice: true))
    }

    var size: Int64 { (try? SystemCall.status(of: descriptor).get().size) ?? 0 }

    /// Nil counts as nothing fetched.
    func record() throws(BodyProblem) -> DownloadRecord? { try Self.record(at: recordPath) }

    /// The record at `path`; nil if there is none that is valid.
    static func record<Record: Decodable>(at path: String) throws(BodyProblem) -> Record? {
        let number: CInt
        do { number = try open(path, O_RDONLY, named: path) } catch {
            guard (error.underlying as? SystemError)?.code == ENOENT else { throw error }
            return nil
        }
        let file = FileDescriptor(number)
        try requireOwn(file.number, path)
        return StoredRecord.read(from: file)
    }

    /// Whether the first `count` bytes of the version in `record` are there. A retry may have begun another version.
    func has(_ count: Int64, of record: DownloadRecord?) throws(BodyProblem) -> Bool {
        let current = try self.record()
        return current?.digest == record?.digest && current?.validator == record?.validator && size >= count
    }

    /// Empties the part for the version of `record`. There is never a record of bytes other than those in the part.
    func begin(_ record: DownloadRecord) throws(BodyProblem) {
        try forget()
        try note(record)
    }

    /// Stores `record`, which describes the existing bytes. Not synced: without it the download begins anew.
    func note(_ record: DownloadRecord) throws(BodyProblem) {
        try requireLock()
        try StoredRecord.write(record, to: recordPath, through: newRecordPath, syncing: false)
    }

    /// Empties the part and removes its record.
    func forget() throws(BodyProblem) {
        try requireLock()
        guard unlink(recordPath) == 0 || errno == ENOENT else { throw FileReplacement.problem(.current, recordPath) }
        try resume(at: 0)
    }

    /// Truncates the file at `offset` and continues there.
    func resume(at offset: Int64) throws(BodyProblem) {
        try requireLock()
        guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) == offset else {
            throw FileReplacement.problem(.current, partPath)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(BodyProblem) {
        try requireLock()
        do { try FileReplacement.write(bytes, to: descriptor) } catch {
            throw FileReplacement.problem(error, partPath)
        }
    }

    /// The existing bytes. They must be read before anything is written.
    func reader() throws(BodyProblem) -> FileReader { try FileReader(descriptor, path: partPath) }

    /// Renames the part to `path` by `rename`; or throws, if it is not to be renamed any more.
    typealias Commit = (_ path: String, _ rename: () throws(SystemError) -> Void) throws(SystemError) -> Void

    /// Syncs the file and renames it. False if a file is there by now, and `isReplacing` is false.
    func complete(replacing isReplacing: Bool, by commit: Commit) throws(BodyProblem) -> Bool {
        try sync()
        return try move(to: place, replacing: isReplacing, by: commit)
    }

    /// Syncs the file and renames it to `name` in `directory`, with a number if that is claimed by another download, or
    /// taken and `isReplacing` is false. Returns the final path.
    func complete(
        as name: FileName, in directory: String, replacing isReplacing: Bool, _ claims: FileClaims?, by commit: Commit
    ) throws(BodyProblem) -> String {
        try sync()
        for number in 1...10_000 {
            let path = "\(directory)/\(name.numbered(number).text)"
            let place = FilePlace(exactly: path)
            // A link of that name is replaced, not followed.
            if isReplacing, let status = place.status, !status.isRegular, !status.isLink {
                throw Self.distrust(path, "it is not a regular file")
            }
            if claims?.claim(path) ?? true, try move(to: place, replacing: isReplacing, by: commit) { return path }
        }
        throw FileReplacement.problem(SystemError(code: EEXIST), "\(directory)/\(name.text)")
    }

    private func sync() throws(BodyProblem) {
        guard SystemCall.isSameFile(descriptor, partPath) else {
            guard case .failure = SystemCall.status(at: partPath) else {
                throw Self.distrust(partPath, "another file took its place")
            }
            throw Self.loss(of: partPath)
        }
        do { _ = try SystemCall.sync(descriptor).get() } catch { throw FileReplacement.problem(error, place.path) }
    }

    /// False if the name is taken.
    private func move(
        to place: FilePlace, replacing isReplacing: Bool, by commit: Commit
    ) throws(BodyProblem) -> Bool {
        do throws(SystemError) {
            try commit(place.path) { () throws(SystemError) in
                guard isReplacing else {
                    try SystemCall.rename(partPath, toFree: place.target)
                    // Some file systems have no permissions.
                    _ = fchmod(descriptor, permissionsOfNewFile)
                    return
                }
                _ = fchmod(descriptor, permissions(replacing: place.status))
                guard rename(partPath, place.target) == 0 else { throw SystemError.current }
            }
        } catch {
            _ = fchmod(descriptor, 0o600)
            guard error.code == EEXIST, !isReplacing else { throw FileReplacement.problem(error, place.path) }
            return false
        }
        Self.removeLeftovers(of: self.place.target)
        FileReplacement.sync(directory: place.directory)
        return true
    }

    /// The permissions of the replaced file, or those of a new one. If it belongs to another user, only those that both
    /// allow. A link that is replaced allows everything, which says nothing.
    private func permissions(replacing replaced: FileStatus?) -> mode_t {
        guard let replaced, !replaced.isLink else { return permissionsOfNewFile }
        return replaced.isOwn ? replaced.permissions : replaced.permissions & permissionsOfNewFile
    }

    /// The permissions that the umask, or the default access list of the directory, allows. Reading the umask would
    /// change it for all threads; an empty file reveals it without that.
    private var permissionsOfNewFile: mode_t {
        _ = unlink(newRecordPath)
        guard
            let number = try? SystemCall.open(newRecordPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
                .get()
        else { return 0o600 }
        let file = FileDescriptor(number)
        _ = unlink(newRecordPath)
        return (try? SystemCall.status(of: file.number).get().permissions) ?? 0o600
    }

    /// Lets others download to the same path, while something still refers to this part, which takes nothing any more.
    func unlock() {
        isUnlocked.store(true, ordering: .releasing)
        _ = flock(descriptor, LOCK_UN)
    }

    private func requireLock() throws(BodyProblem) {
        guard isUnlocked.load(ordering: .acquiring) else { return }
        throw Self.hasEnded(partPath)
    }

    /// Whoever still writes to the part at `path` is too late.
    static func hasEnded(_ path: String) -> BodyProblem {
        BodyProblem(
            .unwritableFile, path: path, underlying: BrokenBodyContract(description: "its download has ended"))
    }

    /// Removes both files, unless it was removed before: then they may be those of another download.
    func discard() {
        guard SystemCall.isSameFile(descriptor, partPath) else { return }
        _ = unlink(recordPath)
        _ = unlink(newRecordPath)
        _ = unlink(partPath)
    }
}
