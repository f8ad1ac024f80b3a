import HTTPFoundation
import HTTPSupport

/// The file of a stored body became shorter, or unreadable, while it was delivered.
struct BrokenCacheFile: Error, CustomStringConvertible {
    var description: String { "the file of the cache broke off while it was read: send the request again" }
}

/// A stored body in an open file. Its bytes stay available while the file is open, even if the file is removed.
final class CachedFile: Sendable {
    private let descriptor: CInt
    private let preamble: CacheFileFormat.Preamble
    /// Removes a damaged file.
    private let discard: @Sendable () -> Void

    private static let pieceLength = 256 << 10

    /// Takes ownership of `descriptor` and closes it.
    init(_ descriptor: CInt, _ preamble: CacheFileFormat.Preamble, discard: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.preamble = preamble
        self.discard = discard
    }

    deinit { _ = close(descriptor) }

    /// A range of the body, in memory. The whole body is verified, since there is one checksum.
    func data(_ bytes: Range<Int64>) -> Data? {
        guard bytes.upperBound <= preamble.bodyLength else { return nil }
        var data = Data()
        data.reserveCapacity(bytes.count)
        var place: Int64 = 0
        let isSound = verified { piece in
            let end = place + Int64(piece.count)
            let wanted = bytes.clamped(to: place..<end)
            if !wanted.isEmpty {
                data.append(contentsOf: piece[Int(wanted.lowerBound - place)..<Int(wanted.upperBound - place)])
            }
            place = end
        }
        return isSound ? data : nil
    }

    /// The whole body, verified before any of it is delivered; false if it is not sound. Throws if the file breaks off in
    /// the middle of the delivery.
    func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard verified({ _ in }) else { return false }
        if try pieces(take) { return true }
        discard()
        throw BrokenCacheFile()
    }

    private func verified(_ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        var sum = Checksum()
        let isWhole =
            (try? pieces { piece in
                sum.add(piece)
                take(piece)
            }) ?? false
        if isWhole, sum.value == preamble.bodySum { return true }
        discard()
        return false
    }

    /// False if the file is too short.
    private func pieces(_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        let length = min(Self.pieceLength, Int(preamble.bodyLength))
        guard length > 0 else { return true }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer { room.deallocate() }
        var place: Int64 = 0
        while place < preamble.bodyLength {
            let wanted = min(length, Int(preamble.bodyLength - place))
            let part = UnsafeMutableRawBufferPointer(rebasing: room[..<wanted])
            guard case .success(let count) = SystemCall.read(descriptor, into: part, at: preamble.bodyOffset + place),
                count > 0
            else { return false }
            try take(UnsafeRawBufferPointer(rebasing: room[..<count]))
            place += Int64(count)
        }
        return true
    }
}
