import HTTPSupport

/// A regular file while it is sent.
package final class FileReader {
    let path: String
    /// The size when the file was opened, in bytes.
    package let size: Int64
    private let descriptor: FileDescriptor

    package init(_ path: String) throws(BodyProblem) {
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
                underlying: isOtherKind ? BrokenBodyContract(description: "it is not a regular file") : error)
        }
    }

    /// Reads the open file of `descriptor` from its first byte. The caller keeps the descriptor and must not use it
    /// meanwhile.
    package init(_ descriptor: CInt, path: String) throws(BodyProblem) {
        self.path = path
        do throws(SystemError) {
            self.descriptor = FileDescriptor(try SystemCall.duplicate(descriptor).get())
            size = try SystemCall.status(of: descriptor).get().size
            guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw SystemError.current }
        } catch { throw BodyProblem(.unreadableFile, path: path, underlying: error) }
    }

    /// Returns the number of bytes read; 0 at the end.
    package func read(into room: UnsafeMutableRawBufferPointer) throws(BodyProblem) -> Int {
        do { return try SystemCall.read(descriptor.number, into: room).get() } catch {
            throw BodyProblem(.unreadableFile, path: path, underlying: error)
        }
    }

    /// What is left of it; nil if that is more than `limit` bytes. The size at first need not be that of the content.
    package func bytes(atMost limit: Int) throws(BodyProblem) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let step = try bytes.withUnsafeMutableBytes { room in
                Result { () throws(BodyProblem) in
                    try read(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
                }
            }.get()
            if step == 0 { return Array(bytes[..<count]) }
            count += step
        }
        return nil
    }

    /// The current size, in bytes.
    var currentSize: Int64? { try? SystemCall.status(of: descriptor.number).get().size }
}
