import HTTPSupport

/// The SHA-256 of a whole file.
package enum FileHash {
    /// The hash of the rest of `file`, in lower-case hexadecimal; nil if no library in the process can compute it, or if
    /// `isOver` says so meanwhile.
    package static func sha256(
        of file: FileReader, unless isOver: () -> Bool = { false }
    ) throws(BodyProblem) -> String? {
        guard let hash = LibraryHash.begin(.sha256) else { return nil }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { room.deallocate() }
        var isUpdated = true
        while !isOver() {
            let count = try file.read(into: room)
            guard count > 0 else { return isUpdated ? hash.finish() : nil }
            isUpdated = isUpdated && hash.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
        }
        return nil
    }
}
