import HTTPSupport

struct BrotliFunctions: Sendable {
    let create: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
    let decompress:
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>?
        ) -> CInt
    let destroy: @convention(c) (OpaquePointer) -> Void

    static let shared = try? BrotliFunctions(.brotli)

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        create = try library("BrotliDecoderCreateInstance")
        decompress = try library("BrotliDecoderDecompressStream")
        destroy = try library("BrotliDecoderDestroyInstance")
    }
}

/// br (RFC 7932).
final class BrotliDecoder: ContentDecoder {
    private static let failure: CInt = 0
    private static let success: CInt = 1
    private static let needsMoreOutput: CInt = 3

    let coding = "br"
    private(set) var isFinished = false
    private let brotli: BrotliFunctions
    private let state: OpaquePointer
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: ContentCodings.pieceSize, alignment: 16)
    /// Whether it has more to give without input.
    private var hasMore = false

    init?(_ brotli: BrotliFunctions) {
        guard let state = brotli.create(nil, nil, nil) else { return nil }
        self.brotli = brotli
        self.state = state
    }

    deinit {
        brotli.destroy(state)
        piece.deallocate()
    }

    func decode(_ input: inout UnsafeRawBufferPointer) throws(ResponseReceiver.Stop) -> UnsafeRawBufferPointer? {
        while !input.isEmpty || hasMore {
            guard !isFinished else { throw .corrupt("bytes follow the end of the stream") }
            var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var remaining = input.count
            var target = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var room = piece.count
            let result = brotli.decompress(state, &remaining, &next, &room, &target, nil)
            guard result != Self.failure else { throw .corrupt("invalid Brotli data") }
            input = UnsafeRawBufferPointer(rebasing: input[(input.count - remaining)...])
            hasMore = result == Self.needsMoreOutput
            isFinished = result == Self.success
            if room < piece.count { return UnsafeRawBufferPointer(rebasing: piece[..<(piece.count - room)]) }
        }
        return nil
    }
}
