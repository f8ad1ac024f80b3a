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

/// The part of a file that was fetched so far, under a name of its own beside the final one, and the record of it.
///
/// It is locked against other downloads to the same place for as long as it is open. What is written goes to the system
/// at once, so that a process that is killed loses nothing of it.
final class PartialFile: Sendable {
    private let path: String
    /// Where the part is.
    let partPath: String
    private let recordPath: String
    /// The record while it is written. A process that is killed meanwhile leaves a file that the next one overwrites.
    private let newRecordPath: String
    private let descriptor: CInt

    init(of path: String) throws(BodyProblem) {
        let target = SystemCall.resolved(path) ?? path
        try FileReplacement.checkPlace(target, named: path)
        let path = target
        self.path = path
        partPath = path + ".partial"
        recordPath = Self.recordPath(of: path)
        newRecordPath = recordPath + ".new"
        do { descriptor = try Self.openLocked(partPath) } catch {
            let isTaken = error.code == EWOULDBLOCK
            let words = BrokenBodyContract(description: "another download to the same place is under way")
            throw isTaken
                ? BodyProblem(.unwritableFile, path: path, underlying: words) : FileReplacement.problem(error, path)
        }
    }

    private static func recordPath(of path: String) -> String { path + ".partial.json" }

    /// Removes the record that lies beside the whole file at `path` when it has got its name just now, or a process was
    /// killed before this was done. It is done under the lock of the next part: the record may be that of another
    /// download by now.
    static func removeLeftovers(of path: String) {
        let path = SystemCall.resolved(path) ?? path
        let isLeft = [recordPath(of: path), path + ".partial"].contains {
            (try? SystemCall.isRegularFile(at: $0).get()) == true
        }
        guard isLeft, let part = try? PartialFile(of: path), part.size == 0
        else { return }
        part.discard()
    }

    deinit { _ = close(descriptor) }

    /// The open file is the one with the name: another download may have given it its final name in the meantime.
    private static func openLocked(_ path: String) throws(SystemError) -> CInt {
        while true {
            let descriptor = try SystemCall.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o666).get()
            do throws(SystemError) {
                guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError.current }
                if SystemCall.isSameFile(descriptor, path) { return descriptor }
            } catch {
                _ = close(descriptor)
                throw error
            }
            _ = close(descriptor)
        }
    }

    var size: Int64 { (try? SystemCall.status(of: descriptor).get().size) ?? 0 }

    /// Nil where there is none that can be read, which is as if nothing had been fetched.
    var record: DownloadRecord? {
        guard let data = try? Data(contentsOf: URL(filePath: recordPath)) else { return nil }
        return try? JSONDecoder().decode(DownloadRecord.self, from: data)
    }

    /// Whether the first `count` bytes of the version in `record` are there. A retry on the way may have begun another.
    func has(_ count: Int64, of record: DownloadRecord?) -> Bool {
        let current = self.record
        return current?.url == record?.url && current?.validator == record?.validator && size >= count
    }

    /// Empty again, for the version that `record` describes. At no time is there a record of other bytes than those that
    /// are there.
    func begin(_ record: DownloadRecord) throws(BodyProblem) {
        try forget()
        try note(record)
    }

    /// Keeps `record`, of the bytes that are there.
    func note(_ record: DownloadRecord) throws(BodyProblem) {
        let data: Data
        do { data = try JSONEncoder().encode(record) } catch {
            throw BodyProblem(.unwritableFile, path: recordPath, underlying: error)
        }
        let file = try FileReplacement(of: recordPath, through: newRecordPath)
        var problem: BodyProblem?
        data.withUnsafeBytes { bytes in
            do throws(BodyProblem) { try file.write(bytes) } catch { problem = error }
        }
        if let problem { throw problem }
        try file.finish()
    }

    /// Empty again, without a record.
    func forget() throws(BodyProblem) {
        _ = unlink(recordPath)
        try goOn(at: 0)
    }

    /// What is written next stands at `offset`, and nothing behind it.
    func goOn(at offset: Int64) throws(BodyProblem) {
        guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) == offset else {
            throw FileReplacement.problem(.current, partPath)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(BodyProblem) {
        do { try FileReplacement.write(bytes, to: descriptor) } catch {
            throw FileReplacement.problem(error, partPath)
        }
    }

    /// Syncs the file and gives it its final name.
    func complete() throws(BodyProblem) {
        do throws(SystemError) {
            _ = try SystemCall.sync(descriptor).get()
            guard rename(partPath, path) == 0 else { throw SystemError.current }
        } catch { throw FileReplacement.problem(error, path) }
        Self.removeLeftovers(of: path)
        FileReplacement.syncDirectory(of: path)
    }

    /// Leaves nothing behind.
    func discard() {
        removeRecord()
        _ = unlink(partPath)
    }

    private func removeRecord() {
        _ = unlink(recordPath)
        _ = unlink(newRecordPath)
    }
}
