import HTTPCore
import HTTPSupport

/// The functions of the Brotli decoder library.
struct BrotliFunctions: Sendable {
    typealias Create = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
    typealias Decompress =
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>?
        ) -> CInt
    typealias Destroy = @convention(c) (OpaquePointer) -> Void

    let create: Create
    let decompress: Decompress
    let destroy: Destroy

    static let shared: BrotliFunctions? = {
        guard let create = SystemLibrary.brotli.function("BrotliDecoderCreateInstance", as: Create.self),
            let decompress = SystemLibrary.brotli.function("BrotliDecoderDecompressStream", as: Decompress.self),
            let destroy = SystemLibrary.brotli.function("BrotliDecoderDestroyInstance", as: Destroy.self)
        else { return nil }
        return BrotliFunctions(create: create, decompress: decompress, destroy: destroy)
    }()
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

    func decode(_ input: inout UnsafeRawBufferPointer) -> DecodingStep {
        while !input.isEmpty || hasMore {
            guard !isFinished else { return .corrupt("bytes follow the end of the stream") }
            var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var remaining = input.count
            var target = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var room = piece.count
            let result = brotli.decompress(state, &remaining, &next, &room, &target, nil)
            guard result != Self.failure else { return .corrupt("invalid Brotli data") }
            input = UnsafeRawBufferPointer(rebasing: input[(input.count - remaining)...])
            hasMore = result == Self.needsMoreOutput
            isFinished = result == Self.success
            if room < piece.count { return .piece(UnsafeRawBufferPointer(rebasing: piece[..<(piece.count - room)])) }
        }
        return .exhausted
    }
}
