import CLibcurl
import HTTPSupport

/// The Zstandard functions for decoding.
struct ZstdFunctions: Sendable {
    let create: @convention(c) () -> OpaquePointer?
    let setParameter: @convention(c) (OpaquePointer, CInt, CInt) -> Int
    let decompress:
        @convention(c) (OpaquePointer, UnsafeMutablePointer<shim_zstd_out>, UnsafeMutablePointer<shim_zstd_in>) -> Int
    let free: @convention(c) (OpaquePointer) -> Int
    let isError: @convention(c) (Int) -> CUnsignedInt

    static let shared = try? ZstdFunctions(.zstd)

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        create = try library("ZSTD_createDStream")
        setParameter = try library("ZSTD_DCtx_setParameter")
        decompress = try library("ZSTD_decompressStream")
        free = try library("ZSTD_freeDStream")
        isError = try library("ZSTD_isError")
    }
}

/// zstd (RFC 8878, any number of frames) with a window of at most 8 MiB, as RFC 9659 requires for HTTP. Frames of
/// versions before 1.0, which the library may still read, are refused.
final class ZstdDecoder: ContentDecoder {
    private static let windowLogMax: CInt = 100
    /// ZSTD_error_frameParameter_windowTooLarge, as a result.
    private static let windowTooLarge = -16

    let coding = "zstd"
    private(set) var isFinished = false
    private let zstd: ZstdFunctions
    private let state: OpaquePointer
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: ContentCodings.pieceSize, alignment: 16)
    /// Whether the next byte is the first of a frame.
    private var isBetweenFrames = true
    /// Whether the last piece was full, so that there may be more output without input.
    private var isFull = false

    init?(_ zstd: ZstdFunctions) {
        guard let state = zstd.create() else { return nil }
        self.zstd = zstd
        self.state = state
        _ = zstd.setParameter(state, Self.windowLogMax, 23)
    }

    deinit {
        _ = zstd.free(state)
        piece.deallocate()
    }

    func decode(_ input: inout UnsafeRawBufferPointer) throws(ResponseReceiver.Stop) -> UnsafeRawBufferPointer? {
        while !input.isEmpty || isFull {
            if isBetweenFrames, let byte = input.first, !Self.begins(byte) { throw Self.invalid }
            // Not a whole frame at once, which the library checks otherwise: the size of one whose last block is empty.
            let count = isBetweenFrames ? 1 : input.count
            var source = shim_zstd_in(src: input.baseAddress, size: count, pos: 0)
            var target = shim_zstd_out(dst: piece.baseAddress, size: piece.count, pos: 0)
            let result = zstd.decompress(state, &target, &source)
            guard zstd.isError(result) == 0 else {
                let isTooWide = result == Self.windowTooLarge
                throw isTooWide ? .corrupt("its Zstandard window is larger than 8 MiB (RFC 9659 §3)") : Self.invalid
            }
            input = UnsafeRawBufferPointer(rebasing: input[source.pos...])
            isFinished = result == 0
            isBetweenFrames = isFinished
            isFull = target.pos == target.size && !isFinished
            if target.pos > 0 { return UnsafeRawBufferPointer(rebasing: piece[..<target.pos]) }
        }
        return nil
    }

    private static var invalid: ResponseReceiver.Stop { .corrupt("invalid Zstandard data") }

    /// Whether the byte begins a frame (0xFD2FB528) or a skippable one (0x184D2A50 to 0x184D2A5F), low byte first.
    private static func begins(_ byte: UInt8) -> Bool { byte == 0x28 || byte & 0xF0 == 0x50 }
}
