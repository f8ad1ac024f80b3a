import HTTPCore

/// The header lines of a request in libcurl's form.
package enum CurlHeaderLines {
    /// libcurl adds `Accept: */*` if the caller sets none. It has an option for User-Agent, too, but then formats the
    /// line twice.
    package static func lines(
        for headers: HTTPHeaders, isPost: Bool, asksToContinue: Bool = false, userAgent: String?
    ) -> [String] {
        var lines: [String] = []
        if let userAgent, !headers.contains("User-Agent") { lines.append("User-Agent: \(userAgent)") }
        if !headers.contains("Accept-Encoding"), !headers.contains("Range"), let accepted = ContentCodings.accepted {
            lines.append("Accept-Encoding: \(accepted)")
        }
        // A name with nothing after the colon removes a header that libcurl would add; with a semicolon instead, the
        // header is sent with an empty value.
        lines += headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if isPost, !headers.contains("Content-Type") { lines.append("Content-Type:") }
        if isPost, !headers.contains("Expect") { lines.append(asksToContinue ? "Expect: 100-continue" : "Expect:") }
        return lines
    }
}
