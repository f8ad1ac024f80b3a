#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A file that is being written under a temporary name, and takes its final name when it is whole.
final class FileReplacement {
    private let path: String
    private let temporaryPath: String
    private let descriptor: FileDescriptor
    private var isOver = false

    convenience init(of path: String) throws(BodyProblem) {
        let target = SystemCall.resolved(path) ?? path
        let name = ".incoming-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        try self.init(of: path, through: "\(Self.directory(of: target))/\(name)", O_EXCL)
    }

    /// With a temporary name that only one process uses at a time: what an earlier one left under it is overwritten.
    convenience init(of path: String, through temporaryPath: String) throws(BodyProblem) {
        try self.init(of: path, through: temporaryPath, O_TRUNC | O_NOFOLLOW)
    }

    private init(of path: String, through temporaryPath: String, _ flags: CInt) throws(BodyProblem) {
        // A link stays one, and its target is what is replaced.
        let target = SystemCall.resolved(path) ?? path
        self.path = target
        self.temporaryPath = temporaryPath
        try Self.checkPlace(target, named: path)
        do {
            descriptor = FileDescriptor(
                try SystemCall.open(temporaryPath, O_WRONLY | O_CREAT | flags, mode: 0o666).get())
        } catch { throw Self.problem(error, path) }
    }

    deinit { abandon() }

    func write(_ bytes: UnsafeRawBufferPointer) throws(BodyProblem) {
        do { try Self.write(bytes, to: descriptor.number) } catch { throw Self.problem(error, path) }
    }

    /// Syncs the file and gives it its final name.
    func finish() throws(BodyProblem) {
        do throws(SystemError) {
            _ = try SystemCall.sync(descriptor.number).get()
            guard rename(temporaryPath, path) == 0 else { throw SystemError.current }
        } catch {
            abandon()
            throw Self.problem(error, path)
        }
        isOver = true
        descriptor.close()
        Self.syncDirectory(of: path)
    }

    /// Leaves nothing behind.
    func abandon() {
        guard !isOver else { return }
        isOver = true
        descriptor.close()
        _ = unlink(temporaryPath)
    }

    /// Whether a file may be put at `target`: nothing is there, or a regular file. A rename would take the place of a
    /// device or a pipe, too.
    static func checkPlace(_ target: String, named path: String) throws(BodyProblem) {
        guard !target.isEmpty, !target.hasSuffix("/"), (try? SystemCall.isRegularFile(at: target).get()) != false else {
            throw BodyProblem(
                .unwritableFile, path: path,
                underlying: BrokenBodyContract(description: "it names something else than a regular file"))
        }
    }

    /// Makes the new name of the file at `path` last. Not every file system can, and the file is in its place by now.
    static func syncDirectory(of path: String) {
        guard let number = try? SystemCall.open(directory(of: path), O_RDONLY).get() else { return }
        _ = SystemCall.sync(FileDescriptor(number).number)
    }

    /// All of `bytes`, in as many writes as the system makes of it.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try SystemCall.write(descriptor, rest).get()
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    static func problem(_ error: SystemError, _ path: String) -> BodyProblem {
        BodyProblem(error.meansFull ? .diskFull : .unwritableFile, path: path, underlying: error)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
