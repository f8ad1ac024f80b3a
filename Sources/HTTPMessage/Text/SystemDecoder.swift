import HTTPSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The iconv of the system, which decodes what this package has no table for. Which encodings it has depends on what is
/// installed: a small image of Linux may have few.
enum SystemDecoder {
    enum Outcome {
        case text(String)
        /// The bytes are no text in the encoding.
        case invalid
        /// The system does not have the encoding.
        case missing
    }

    private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> UnsafeMutableRawPointer?
    private typealias Buffer = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private typealias Convert =
        @convention(c) (
            UnsafeMutableRawPointer?, Buffer?, UnsafeMutablePointer<Int>?, Buffer?, UnsafeMutablePointer<Int>?
        ) -> Int
    private typealias Close = @convention(c) (UnsafeMutableRawPointer?) -> CInt

    private struct Functions {
        let open: Open
        let convert: Convert
        let close: Close

        #if canImport(Darwin)
        /// Its library is not linked into each program there.
        static var system: Functions? {
            guard let library = dlopen("/usr/lib/libiconv.2.dylib", RTLD_LAZY), let open = dlsym(library, "iconv_open"),
                let convert = dlsym(library, "iconv"), let close = dlsym(library, "iconv_close")
            else { return nil }
            return Functions(
                open: unsafeBitCast(open, to: Open.self), convert: unsafeBitCast(convert, to: Convert.self),
                close: unsafeBitCast(close, to: Close.self))
        }
        #else
        static var system: Functions? {
            Functions(
                open: { iconv_open($0, $1) }, convert: { iconv($0, $1, $2, $3, $4) }, close: { iconv_close($0) })
        }
        #endif
    }

    /// - Parameter isLossy: Whether each byte that is no text becomes U+FFFD.
    static func decode(_ data: Data, as encoding: TextEncoding, isLossy: Bool) -> Outcome {
        let failed = UnsafeMutableRawPointer(bitPattern: -1)
        guard let system = Functions.system, let converter = system.open("UTF-8", encoding.systemName),
            converter != failed
        else { return .missing }
        defer { _ = system.close(converter) }
        var input = data.map { CChar(bitPattern: $0) }
        let count = input.count
        var output: [UInt8] = []
        var piece = [CChar](repeating: 0, count: 16 << 10)
        var place = 0
        let isText = input.withUnsafeMutableBufferPointer { input -> Bool in
            piece.withUnsafeMutableBufferPointer { piece -> Bool in
                // Once more after the end, for what the converter still holds.
                while true {
                    var (from, left) = (input.baseAddress.map { $0 + place }, count - place)
                    var (to, room) = (piece.baseAddress, piece.count)
                    let isEnd = left == 0
                    let result =
                        isEnd
                        ? system.convert(converter, nil, nil, &to, &room)
                        : system.convert(converter, &from, &left, &to, &room)
                    let problem = errno
                    output += piece[..<(piece.count - room)].map { UInt8(bitPattern: $0) }
                    place = count - left
                    if result != Int(bitPattern: UInt.max) {
                        if isEnd { return true }
                        continue
                    }
                    guard problem != E2BIG else { continue }
                    guard isLossy, place < count else { return false }
                    output += "\u{FFFD}".utf8
                    place += 1
                }
            }
        }
        return isText ? .text(String(decoding: output, as: UTF8.self)) : .invalid
    }
}
