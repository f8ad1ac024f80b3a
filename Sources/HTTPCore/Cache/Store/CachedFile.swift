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

/// The body in an open file of a cache. Whatever becomes of the file's name, its bytes stay as long as it is open.
final class CachedFile: Sendable {
    private let descriptor: CInt
    private let preamble: CacheFileFormat.Preamble
    /// Has the file removed: it is not what was written.
    private let discard: @Sendable () -> Void

    private static let pieceLength = 256 << 10

    /// Closes `descriptor` in the end.
    init(_ descriptor: CInt, _ preamble: CacheFileFormat.Preamble, discard: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.preamble = preamble
        self.discard = discard
    }

    deinit { _ = close(descriptor) }

    /// Part of it, in memory. All of it is looked at, for there is one checksum.
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

    /// All of it, once it is known to be sound.
    func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard verified({ _ in }) else { return false }
        return try pieces(take)
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

    /// False where it ends too early.
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
