import HTTPFoundation
import HTTPSupport

/// The file of a stored body became shorter, or unreadable, while it was delivered.
struct BrokenCacheFile: Error, CustomStringConvertible {
    var description: String { "the file of the cache broke off while it was read: send the request again" }
}

/// A stored body in a file. Unless it is held, it is open only while it is read: a process has few descriptors, and many calls may have found
/// a file and wait.
final class CachedFile: Sendable {
    private final class OpenFile: Sendable {
        let number: CInt

        init(_ number: CInt) { self.number = number }

        deinit { _ = close(number) }
    }

    private let directory: CacheDirectory
    private let path: String
    private let preamble: CacheFileFormat.Preamble
    private let held: OpenFile?

    private static let pieceLength = 256 << 10

    convenience init(_ directory: CacheDirectory, _ path: String, _ preamble: CacheFileFormat.Preamble) {
        self.init(directory, path, preamble, nil)
    }

    private init(
        _ directory: CacheDirectory, _ path: String, _ preamble: CacheFileFormat.Preamble, _ held: OpenFile?
    ) { (self.directory, self.path, self.preamble, self.held) = (directory, path, preamble, held) }

    /// The same file, open until this is released: it can be read although it is removed.
    func holding() -> CachedFile { CachedFile(directory, path, preamble, opened()) }

    /// Nil if it is gone or has another body by now. With a newer head it is as good.
    private func opened() -> OpenFile? {
        if let held { return held }
        guard case .file(let number, _) = directory.open(path) else { return nil }
        let file = OpenFile(number)
        var start = [UInt8](repeating: 0, count: CacheFileFormat.preambleLength)
        _ = start.withUnsafeMutableBytes { SystemCall.read(number, into: $0, at: 0) }
        guard let found = CacheFileFormat.Preamble(start[...]), found.bodyLength == preamble.bodyLength,
            found.bodySum == preamble.bodySum
        else { return nil }
        return file
    }

    private func discard() { directory.remove(path) }

    /// A range of the body, in memory. The whole body is verified, since there is one checksum.
    func data(_ bytes: Range<Int64>) -> Data? {
        guard bytes.upperBound <= preamble.bodyLength, let count = Int(exactly: bytes.length), let file = opened()
        else { return nil }
        var data = Data()
        data.reserveCapacity(count)
        var place: Int64 = 0
        let isSound = verified(file) { piece in
            let end = place + Int64(piece.count)
            let wanted = bytes.clamped(to: place..<end)
            if !wanted.isEmpty {
                data.append(contentsOf: piece[Int(wanted.lowerBound - place)..<Int(wanted.upperBound - place)])
            }
            place = end
        }
        return isSound ? data : nil
    }

    /// Verifies the whole body; nil if it is not sound. The reader throws if the file breaks off nevertheless.
    func reader() -> CachedBody.Reader? {
        guard let file = opened(), verified(file, { _ in }) else { return nil }
        return { [self] take in
            if try pieces(file, take) { return }
            discard()
            throw BrokenCacheFile()
        }
    }

    private func verified(_ file: OpenFile, _ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        var sum = Checksum()
        let isWhole =
            (try? pieces(file) { piece in
                sum.add(piece)
                take(piece)
            }) ?? false
        if isWhole, sum.value == preamble.bodySum { return true }
        discard()
        return false
    }

    /// False if the file is too short.
    private func pieces(_ file: OpenFile, _ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        let length = min(Self.pieceLength, Int(clamping: preamble.bodyLength))
        guard length > 0 else { return true }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer { room.deallocate() }
        var place: Int64 = 0
        while place < preamble.bodyLength {
            let wanted = min(length, Int(clamping: preamble.bodyLength - place))
            let part = UnsafeMutableRawBufferPointer(rebasing: room[..<wanted])
            guard case .success(let count) = SystemCall.read(file.number, into: part, at: preamble.bodyOffset + place),
                count > 0
            else { return false }
            try take(UnsafeRawBufferPointer(rebasing: room[..<count]))
            place += Int64(count)
        }
        return true
    }
}
