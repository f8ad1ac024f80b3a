import HTTPFoundation

/// Text in UTF-16, whose letters have a zero byte each.
struct WideText {
    let text: String
    private let isBigEndian: Bool

    /// Nil for bytes that begin with neither a byte order mark nor such a letter.
    init?(_ data: Data) {
        let start = Array(data.prefix(2))
        guard start.count == 2, data.count.isMultiple(of: 2) else { return nil }
        guard start == [0xFF, 0xFE] || start == [0xFE, 0xFF] || (start[0] == 0) != (start[1] == 0) else { return nil }
        isBigEndian = start[0] == 0 || start == [0xFE, 0xFF]
        let bytes = Array(data)
        let (high, low) = isBigEndian ? (0, 1) : (1, 0)
        let units = stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
        }
        guard let text = String(validating: units, as: UTF16.self) else { return nil }
        self.text = text
    }

    /// Another text in the same encoding.
    func data(_ text: String) -> Data {
        Data(
            text.utf16.flatMap { unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return isBigEndian ? [high, low] : [low, high]
            })
    }
}
