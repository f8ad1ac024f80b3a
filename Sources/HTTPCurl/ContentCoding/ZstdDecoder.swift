import CLibcurl
import HTTPCore
import HTTPSupport

/// The Zstandard functions for decoding.
struct ZstdFunctions: Sendable {
    typealias Create = @convention(c) () -> OpaquePointer?
    typealias SetParameter = @convention(c) (OpaquePointer, CInt, CInt) -> Int
    typealias Decompress =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<shim_zstd_out>, UnsafeMutablePointer<shim_zstd_in>) -> Int
    typealias Free = @convention(c) (OpaquePointer) -> Int
    typealias IsError = @convention(c) (Int) -> CUnsignedInt

    let create: Create
    let setParameter: SetParameter
    let decompress: Decompress
    let free: Free
    let isError: IsError

    static let shared: ZstdFunctions? = {
        guard let create = SystemLibrary.zstd.function("ZSTD_createDStream", as: Create.self),
            let setParameter = SystemLibrary.zstd.function("ZSTD_DCtx_setParameter", as: SetParameter.self),
            let decompress = SystemLibrary.zstd.function("ZSTD_decompressStream", as: Decompress.self),
            let free = SystemLibrary.zstd.function("ZSTD_freeDStream", as: Free.self),
            let isError = SystemLibrary.zstd.function("ZSTD_isError", as: IsError.self)
        else { return nil }
        return ZstdFunctions(
            create: create, setParameter: setParameter, decompress: decompress, free: free, isError: isError)
    }()
}

/// zstd (RFC 8878, any number of frames) with a window of at most 8 MiB, as RFC 9659 requires for HTTP. Frames of
/// versions before 1.0, which the library may still read, are refused.
final class ZstdDecoder: ContentDecoder {
    private static let windowLogMax: CInt = 100

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

    func decode(_ input: inout UnsafeRawBufferPointer) -> DecodingStep {
        while !input.isEmpty || isFull {
            if isBetweenFrames, let byte = input.first, !Self.begins(byte) { return Self.invalid }
            var source = shim_zstd_in(src: input.baseAddress, size: input.count, pos: 0)
            var target = shim_zstd_out(dst: piece.baseAddress, size: piece.count, pos: 0)
            let result = zstd.decompress(state, &target, &source)
            guard zstd.isError(result) == 0 else { return Self.invalid }
            input = UnsafeRawBufferPointer(rebasing: input[source.pos...])
            isFinished = result == 0
            isBetweenFrames = isFinished
            isFull = target.pos == target.size && !isFinished
            if target.pos > 0 { return .piece(UnsafeRawBufferPointer(rebasing: piece[..<target.pos])) }
        }
        return .exhausted
    }

    private static var invalid: DecodingStep { .corrupt("invalid Zstandard data") }

    /// Whether the byte begins a frame (0xFD2FB528) or a skippable one (0x184D2A50 to 0x184D2A5F), low byte first.
    private static func begins(_ byte: UInt8) -> Bool { byte == 0x28 || byte & 0xF0 == 0x50 }
}
