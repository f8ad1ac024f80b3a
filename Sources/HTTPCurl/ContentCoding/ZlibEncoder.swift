import CLibcurl
import HTTPSupport

/// Encodes its input as one gzip member (RFC 1952) or zlib stream (RFC 1950). Used by one thread at a time.
final class ZlibEncoder {
    struct Failure: Error, CustomStringConvertible {
        let code: CInt
        var description: String { "zlib could not compress the body (error \(code))" }
    }

    private static let deflated: CInt = 8
    private static let finish: CInt = 4
    private static let streamEnd: CInt = 1
    private static let bufferError: CInt = -5

    private let zlib: ZlibFunctions
    private let stream = UnsafeMutablePointer<shim_z_stream>.allocate(capacity: 1)
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: ContentCodings.pieceSize, alignment: 16)
    private var isStarted = false
    private var isInputOver = false
    private(set) var isFinished = false

    init(_ coding: RequestCoding, level: Int, _ zlib: ZlibFunctions) throws(Failure) {
        self.zlib = zlib
        stream.initialize(to: shim_z_stream())
        // 16 more than the window of 15 bits means gzip. A memory level of 8 and strategy 0 are zlib's defaults.
        let window: CInt = coding == .gzip ? 31 : 15
        let code = zlib.beginDeflating(
            stream, CInt(min(max(level, 1), 9)), Self.deflated, window, 8, 0, "1.2.11",
            CInt(MemoryLayout<shim_z_stream>.size))
        guard code == 0 else { throw Failure(code: code) }
        isStarted = true
    }

    deinit {
        if isStarted { _ = zlib.endDeflating(stream) }
        stream.deallocate()
        input.deallocate()
    }

    /// Writes at least one byte to `room`, from the input of `read`, which returns 0 at its end. Returns 0 when all is
    /// written.
    func read(into room: UnsafeMutableRawBufferPointer, from read: (UnsafeMutableRawBufferPointer) throws -> Int) throws
        -> Int
    {
        let space = UnsafeMutableRawBufferPointer(rebasing: room.prefix(Int(CUnsignedInt.max)))
        stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = CUnsignedInt(space.count)
        while !isFinished, stream.pointee.avail_out == CUnsignedInt(space.count) {
            if stream.pointee.avail_in == 0, !isInputOver { try fill(from: read) }
            let code = zlib.deflate(stream, isInputOver ? Self.finish : 0)
            isFinished = code == Self.streamEnd
            guard code == 0 || code == Self.streamEnd || code == Self.bufferError else { throw Failure(code: code) }
        }
        return space.count - Int(stream.pointee.avail_out)
    }

    private func fill(from read: (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        let count = try read(input)
        isInputOver = count == 0
        stream.pointee.next_in = UnsafePointer(input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = CUnsignedInt(count)
    }
}
