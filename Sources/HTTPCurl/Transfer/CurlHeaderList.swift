import CLibcurl
import HTTPSupport

/// The header lines of requests with the same fields, in libcurl's form.
///
/// It is immutable, and libcurl only reads it, so any number of transfers may share it, on any threads.
final class CurlHeaderList: Sendable {
    /// The fields of the requests.
    private let fields: HTTPHeaders
    private let isPost: Bool
    private let asksToContinue: Bool
    private let lines: CurlList
    /// Whether the connection must be closed after the exchange: the fields say so, which libcurl ignores.
    let asksToClose: Bool
    /// The most bytes that HTTP/2 makes of the fields: nghttp2 counts 12 for the lengths of each.
    let packedBytes: Int

    init(_ fields: HTTPHeaders, isPost: Bool, asksToContinue: Bool, userAgent: String?) {
        self.fields = fields
        self.isPost = isPost
        self.asksToContinue = asksToContinue
        let lines = CurlHeaderLines.lines(
            for: fields, isPost: isPost, asksToContinue: asksToContinue, userAgent: userAgent)
        self.lines = CurlList(lines)
        packedBytes = lines.reduce(0) { $0 + $1.utf8.count + 12 }
        asksToClose = fields.values(for: "Connection").contains { ASCII.lowercased($0).contains("close") }
    }

    /// Sets it for the transfers of `handle`, which it must outlive.
    func set(on handle: CurlHandle) { handle.set(CURLOPT_HTTPHEADER, pointer: lines.first) }

    /// Whether it is the list for `fields`, byte for byte: names that differ only in case are the same header in two
    /// spellings.
    func fits(_ fields: HTTPHeaders, isPost: Bool, asksToContinue: Bool) -> Bool {
        self.isPost == isPost && self.asksToContinue == asksToContinue && self.fields.areIdentical(to: fields)
    }
}

/// Makes header lists, and reuses the last one if the fields are equal: most requests of a program have the same. Any
/// thread may call it.
final class CurlHeaderLists: Sendable {
    /// Released with the last transfer that uses it, because it may contain secrets.
    private struct Last {
        weak var list: CurlHeaderList?
    }

    private let userAgent: String?
    private let last = Locked(Last())

    init(userAgent: String?) { self.userAgent = userAgent }

    func list(of fields: HTTPHeaders, isPost: Bool, asksToContinue: Bool) -> CurlHeaderList {
        if let last = last.withLock({ $0.list }), last.fits(fields, isPost: isPost, asksToContinue: asksToContinue) {
            return last
        }
        let list = CurlHeaderList(fields, isPost: isPost, asksToContinue: asksToContinue, userAgent: userAgent)
        last.withLock { $0.list = list }
        return list
    }
}

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
