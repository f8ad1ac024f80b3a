#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A regular file that is being sent.
final class FileReader {
    let path: String
    /// As it was when the file was opened.
    let size: Int64
    private let descriptor: FileDescriptor

    init(_ path: String) throws(BodyProblem) {
        self.path = path
        do throws(SystemError) {
            // Opening a pipe would wait for a writer.
            descriptor = FileDescriptor(try SystemCall.open(path, O_RDONLY | O_NONBLOCK).get())
            let status = try SystemCall.status(of: descriptor.number).get()
            guard status.isRegular else { throw SystemError(code: ESPIPE) }
            size = status.size
        } catch {
            let isOtherKind = error.code == ESPIPE
            throw BodyProblem(
                .unreadableFile, path: path,
                underlying: isOtherKind ? BrokenBodyContract(description: "it is no regular file") : error)
        }
    }

    /// The file that `descriptor` has open, from its first byte on. The descriptor stays its owner's, and must not be used
    /// meanwhile.
    init(_ descriptor: CInt, path: String) throws(BodyProblem) {
        self.path = path
        do throws(SystemError) {
            self.descriptor = FileDescriptor(try SystemCall.duplicate(descriptor).get())
            size = try SystemCall.status(of: descriptor).get().size
            guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw SystemError.current }
        } catch { throw BodyProblem(.unreadableFile, path: path, underlying: error) }
    }

    /// 0 at the end.
    func read(into room: UnsafeMutableRawBufferPointer) throws(BodyProblem) -> Int {
        do { return try SystemCall.read(descriptor.number, into: room).get() } catch {
            throw BodyProblem(.unreadableFile, path: path, underlying: error)
        }
    }

    /// As it is now.
    var currentSize: Int64? { try? SystemCall.status(of: descriptor.number).get().size }
}
