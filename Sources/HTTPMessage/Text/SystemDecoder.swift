import HTTPFoundation
import HTTPSupport

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

    /// It differs from the standard in little. `isLossy` gives a U+FFFD for each byte that is no text, where the standard
    /// has one for a pair. With glibc, ISO-2022-JP lacks the characters of NEC and IBM, such as ①, and so does EUC-JP in the
    /// rows that Windows gives to those of IBM, which are `invalid`, or private characters where `isLossy`.
    ///
    /// - Parameter isLossy: Whether each byte that is no text becomes U+FFFD.
    static func decode(_ data: Data, as encoding: TextEncoding, isLossy: Bool) -> Outcome {
        guard let system = Functions.system else { return .missing }
        func converter(_ name: String) -> UnsafeMutableRawPointer? {
            system.open("UTF-8", name).flatMap { $0 == UnsafeMutableRawPointer(bitPattern: -1) ? nil : $0 }
        }
        guard let converter = converter(encoding.systemName) ?? converter(encoding.name) else { return .missing }
        defer { _ = system.close(converter) }
        var input = data.map { CChar(bitPattern: $0) }
        let count = input.count
        var output: [UInt8] = []
        var piece = [CChar](repeating: 0, count: 16 << 10)
        var place = 0
        let isText = input.withUnsafeMutableBufferPointer { input -> Bool in
            piece.withUnsafeMutableBufferPointer { piece -> Bool in
                /// Takes what there is room for, or gives what the converter still holds; nil without a problem.
                func convert(isEnd: Bool) -> CInt? {
                    var (from, left) = (input.baseAddress.map { $0 + place }, count - place)
                    var (to, room) = (piece.baseAddress, piece.count)
                    let result =
                        isEnd
                        ? system.convert(converter, nil, nil, &to, &room)
                        : system.convert(converter, &from, &left, &to, &room)
                    let problem = result == Int(bitPattern: UInt.max) ? errno : nil
                    output += piece[..<(piece.count - room)].map { UInt8(bitPattern: $0) }
                    place = count - left
                    return problem
                }
                while true {
                    let isEnd = place == count
                    guard let problem = convert(isEnd: isEnd) else {
                        if isEnd { return true }
                        continue
                    }
                    guard problem != E2BIG else { continue }
                    guard place < count else { return false }
                    if let text = encoding.text(of: UInt8(bitPattern: input[place])) {
                        // Without what it holds, a letter would come after this, with a mark that follows.
                        _ = convert(isEnd: true)
                        output += text.utf8
                    } else if isLossy {
                        output += "\u{FFFD}".utf8
                    } else {
                        return false
                    }
                    place += 1
                }
            }
        }
        // It begins each private character of EUC-JP-MS.
        guard isText, isLossy || encoding.name != "euc-jp" || !output.contains(0xEE) else { return .invalid }
        return .text(String(decoding: output, as: UTF8.self))
    }
}
