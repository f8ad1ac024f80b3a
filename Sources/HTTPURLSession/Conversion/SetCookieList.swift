// The fuzzer compiles this file by itself.
import HTTPCore

/// Splits several Set-Cookie fields that were joined by commas, which cookies may contain as well.
enum SetCookieList {
    /// Splits at each comma followed by a new cookie: a token and an equals sign. The comma in the date of an Expires
    /// attribute is not one. A comma in a value, if a token and an equals sign follow, would be mistaken for one; RFC
    /// 6265 §4.1.1 does not allow commas in values.
    static func split(_ joined: String) -> [String] {
        let pieces = joined.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return pieces.reduce(into: []) { cookies, piece in
            let text = String(Substring(piece))
            if cookies.isEmpty || startsCookie(piece) {
                cookies.append(String(text.drop { $0 == " " }))
            } else {
                cookies[cookies.count - 1] += "," + text
            }
        }
    }

    private static func startsCookie(_ piece: Substring.UTF8View) -> Bool {
        let rest = piece.drop(while: ASCII.isBlank)
        return rest.firstIndex(of: UInt8(ascii: "=")).map { ASCII.isToken(Substring(rest[..<$0])) } ?? false
    }
}
