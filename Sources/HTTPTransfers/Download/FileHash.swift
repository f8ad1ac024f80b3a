import HTTPSupport

/// The SHA-256 of a whole file.
package enum FileHash {
    package enum Problem: Error {
        case file(BodyProblem)
        /// No library in the process can compute it.
        case unavailable
    }

    /// The hash of the rest of `file`, in lower-case hexadecimal.
    package static func sha256(of file: FileReader) throws(Problem) -> String {
        guard let hash = LibraryHash.begin(.sha256) else { throw .unavailable }
        var isUpdated = true
        do throws(BodyProblem) {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
            defer { room.deallocate() }
            while true {
                let count = try file.read(into: room)
                if count == 0 { break }
                isUpdated = isUpdated && hash.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
            }
        } catch { throw .file(error) }
        guard isUpdated, let text = hash.finish() else { throw .unavailable }
        return text
    }
}
