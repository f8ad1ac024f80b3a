import CLibcurl
import HTTPSupport

struct ZlibFunctions: Sendable {
    typealias Finish = @convention(c) (UnsafeMutablePointer<shim_z_stream>) -> CInt

    let initialize: @convention(c) (UnsafeMutablePointer<shim_z_stream>, CInt, UnsafePointer<CChar>, CInt) -> CInt
    let inflate: @convention(c) (UnsafeMutablePointer<shim_z_stream>, CInt) -> CInt
    let reset: Finish
    let end: Finish
    let beginDeflating:
        @convention(c) (
            UnsafeMutablePointer<shim_z_stream>, CInt, CInt, CInt, CInt, CInt, UnsafePointer<CChar>, CInt
        ) -> CInt
    let deflate: @convention(c) (UnsafeMutablePointer<shim_z_stream>, CInt) -> CInt
    let endDeflating: Finish

    static let shared = try? ZlibFunctions(.zlib)

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        initialize = try library("inflateInit2_")
        inflate = try library("inflate")
        reset = try library("inflateReset")
        end = try library("inflateEnd")
        beginDeflating = try library("deflateInit2_")
        deflate = try library("deflate")
        endDeflating = try library("deflateEnd")
    }
}

/// gzip (RFC 1952, any number of members) and deflate (RFC 1950; also the bare RFC 1951 stream that some servers send).
final class ZlibDecoder: ContentDecoder {
    enum Form { case gzip, deflate }

    private static let ok: CInt = 0
    private static let streamEnd: CInt = 1
    private static let bufferError: CInt = -5
    /// RFC 1952 §2.3.1, ID1.
    private static let firstOfMember: UInt8 = 0x1F

    let coding: String
    private(set) var isFinished = false
    private let form: Form
    private let zlib: ZlibFunctions
    private let stream = UnsafeMutablePointer<shim_z_stream>.allocate(capacity: 1)
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: ContentCodings.pieceSize, alignment: 16)
    private var isStarted = false
    /// The number of bytes behind the last member that begin no other, and their limit.
    private var ignoredCount = 0
    private let ignoredLimit: Int
    /// Whether a member has ended, and the bytes behind it begin no other.
    private var isPastEnd = false
    private var hasMember = false
    /// Whether the last piece was full, so that zlib may have more output without input.
    private var isFull = false

    /// `ignoredLimit` is the number of bytes behind the last gzip member that may be no member.
    init(_ form: Form, _ zlib: ZlibFunctions, ignoredLimit: Int = 0) {
        self.form = form
        self.ignoredLimit = form == .gzip ? ignoredLimit : 0
        self.zlib = zlib
        coding = form == .gzip ? "gzip" : "deflate"
        stream.initialize(to: shim_z_stream())
    }

    deinit {
        if isStarted { _ = zlib.end(stream) }
        stream.deallocate()
        piece.deallocate()
    }

    func decode(_ input: inout UnsafeRawBufferPointer) throws(ResponseReceiver.Stop) -> UnsafeRawBufferPointer? {
        if !isStarted {
            guard let first = input.first else { return nil }
            guard start(firstByte: first) else { throw .noMemory }
        }
        while !input.isEmpty || isFull {
            if isPastEnd {
                try ignore(&input)
                return nil
            }
            if isFinished {
                if ignoredLimit > 0, input.first != Self.firstOfMember {
                    isPastEnd = true
                    continue
                }
                guard form == .gzip, startNextMember() else { throw .corrupt("bytes follow the end of the stream") }
            }
            let start = input
            guard let count = inflate(&input) else {
                guard ignoredLimit > 0, hasMember, stream.pointee.total_in <= 2 else { throw .corrupt(problem) }
                // It has no magic number (RFC 1952 §2.3.1): it is no member. Its first byte may have come earlier.
                (isPastEnd, isFinished, isFull) = (true, true, false)
                input = start
                continue
            }
            hasMember = hasMember || isFinished
            if count > 0 { return UnsafeRawBufferPointer(rebasing: piece[..<count]) }
        }
        return nil
    }

    /// Servers pad a body, or append a line feed; browsers ignore it.
    private func ignore(_ input: inout UnsafeRawBufferPointer) throws(ResponseReceiver.Stop) {
        ignoredCount += input.count
        input = UnsafeRawBufferPointer(rebasing: input[input.count...])
        if ignoredCount > ignoredLimit { throw .corrupt("bytes that are not gzip follow the end of the stream") }
    }

    /// 16 more than the window of 15 bits means gzip, a negative window the bare stream. The low half of a zlib
    /// stream's first byte is 8; no bare stream that a compressor writes begins so.
    private func start(firstByte: UInt8) -> Bool {
        let window: CInt = form == .gzip ? 31 : (firstByte & 0x0F == 8 ? 15 : -15)
        isStarted = zlib.initialize(stream, window, "1.2.11", CInt(MemoryLayout<shim_z_stream>.size)) == Self.ok
        return isStarted
    }

    /// Fills the piece. Returns the number of bytes in it; nil when the stream is invalid.
    private func inflate(_ input: inout UnsafeRawBufferPointer) -> Int? {
        // zlib counts in 32 bits.
        let part = UnsafeRawBufferPointer(rebasing: input.prefix(Int(CUnsignedInt.max)))
        stream.pointee.next_in = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = CUnsignedInt(part.count)
        stream.pointee.next_out = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = CUnsignedInt(piece.count)
        let result = zlib.inflate(stream, 0)
        guard result == Self.ok || result == Self.streamEnd || result == Self.bufferError else { return nil }
        input = UnsafeRawBufferPointer(rebasing: input[(part.count - Int(stream.pointee.avail_in))...])
        isFinished = result == Self.streamEnd
        isFull = stream.pointee.avail_out == 0 && !isFinished
        return piece.count - Int(stream.pointee.avail_out)
    }

    private var problem: String { stream.pointee.msg.map { String(cString: $0) } ?? "zlib finds its stream broken" }

    private func startNextMember() -> Bool {
        isFinished = false
        return zlib.reset(stream) == Self.ok
    }
}
