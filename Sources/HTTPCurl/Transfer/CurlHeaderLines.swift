import HTTPCore

/// The header lines of a request as libcurl takes them.
package enum CurlHeaderLines {
    /// libcurl adds `Accept: */*` itself where the caller sets none. It has an option for User-Agent, too, but prints
    /// the line twice then, byte by byte.
    package static func lines(
        for headers: HTTPHeaders, isPost: Bool, asksToContinue: Bool = false, userAgent: String?
    ) -> [String] {
        var lines: [String] = []
        if let userAgent, !headers.contains("User-Agent") { lines.append("User-Agent: \(userAgent)") }
        if !headers.contains("Accept-Encoding"), !headers.contains("Range"), let accepted = ContentCodings.accepted {
            lines.append("Accept-Encoding: \(accepted)")
        }
        // A name with nothing behind the colon takes a header away that libcurl would add; with a semicolon in its
        // place the header is sent with an empty value.
        lines += headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if isPost, !headers.contains("Content-Type") { lines.append("Content-Type:") }
        if isPost, !headers.contains("Expect") { lines.append(asksToContinue ? "Expect: 100-continue" : "Expect:") }
        return lines
    }
}
