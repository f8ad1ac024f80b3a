#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes as a text of one character each, so that what is done with texts can be done with them. Nothing is lost.
struct ByteText {
    let text: String

    init(_ data: Data) { text = String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) })) }

    /// The bytes of a text that was made so.
    static func data(_ text: String) -> Data { Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
}
