/// Converts host names beyond ASCII to and from A-labels, by UTS 46 with non-transitional processing (RFC 5891).
///
/// libidn2, which comes with libcurl, does the work, in UTF-8, so the locale of the process does not matter. Without
/// the library no name is converted, as on a phone, which has none, and over the libcurl of macOS.
package enum InternationalNames {
    /// Why a name cannot be converted to ASCII, as a phrase that follows the name.
    package struct Problem: Error {
        package let description: String
    }

    private struct Library: Sendable {
        let lookup:
            @convention(c) (UnsafePointer<UInt8>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, CInt) -> CInt
        let toUnicode:
            @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, CInt) -> CInt
        let words: @convention(c) (CInt) -> UnsafePointer<CChar>?
        let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

        init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
            lookup = try library("idn2_lookup_u8")
            toUnicode = try library("idn2_to_unicode_8z8z")
            words = try library("idn2_strerror")
            free = try library("idn2_free")
        }
    }

    private static let library = try? Library(.libidn2)

    /// IDN2_NFC_INPUT and IDN2_NONTRANSITIONAL.
    private static let flags: CInt = 1 | 8

    /// `name`, without NUL, in A-labels. The result may contain any ASCII character: `／` becomes a slash.
    package static func ascii(_ name: String) throws(Problem) -> String {
        guard let library else { throw unknown }
        var converted: UnsafeMutablePointer<UInt8>?
        let code = name.withCString(encodedAs: UTF8.self) { library.lookup($0, &converted, flags) }
        defer { library.free(converted) }
        guard code == 0, let converted else {
            let words = library.words(code).map { String(cString: $0) } ?? "error \(code)"
            throw Problem(description: "which has no form in ASCII: \(words) (UTS 46)")
        }
        return String(decodingCString: converted, as: UTF8.self)
    }

    /// `name`, which is ASCII, with its A-labels decoded; nil if it has none.
    package static func unicode(_ name: String) -> String? {
        guard let library else { return nil }
        var converted: UnsafeMutablePointer<CChar>?
        let code = name.withCString { library.toUnicode($0, &converted, flags) }
        defer { library.free(converted) }
        guard code == 0, let converted else { return nil }
        return String(validatingCString: converted)
    }

    private static let unknown = Problem(
        description: "which cannot be converted to ASCII here, without libidn2: write it in its xn-- form")
}
