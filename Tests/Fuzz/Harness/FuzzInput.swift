/// The bytes of one run, in the forms that targets need.
struct FuzzInput {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Invalid UTF-8 becomes U+FFFD.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The first byte, by which a target selects its settings.
    var choice: Int { Int(bytes.first ?? 0) }

    /// The bytes after the first.
    var rest: FuzzInput { FuzzInput(Array(bytes.dropFirst())) }

    /// The texts between line feeds: `count` of them, the last of which takes the rest.
    func parts(_ count: Int) -> [String] {
        var parts = bytes.split(separator: 0x0A, maxSplits: count - 1, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        while parts.count < count { parts.append("") }
        return parts
    }

    /// Ways to split the bytes: in one piece, byte by byte, and in pieces whose lengths depend on the content.
    var cuts: [[ArraySlice<UInt8>]] {
        [[bytes[...]], bytes.indices.map { bytes[$0...$0] }, irregularPieces]
    }

    private var irregularPieces: [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var place = 0
        while place < bytes.count {
            let end = min(bytes.count, place + 1 + Int(bytes[place] % 23))
            pieces.append(bytes[place..<end])
            place = end
        }
        return pieces
    }
}
