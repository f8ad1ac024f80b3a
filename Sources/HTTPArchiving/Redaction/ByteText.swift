import HTTPFoundation

/// Bytes as a string with one character each, so that string functions apply to them. Nothing is lost.
struct ByteText {
    let text: String

    init(_ data: Data) { text = String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) })) }

    /// The bytes of such a string.
    static func data(_ text: String) -> Data { Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
}
