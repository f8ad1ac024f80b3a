import CLibcurl
import HTTPCore

/// The header lines of requests with the same fields, in the form that libcurl takes.
///
/// It never changes, and libcurl only reads it, so that any number of transfers may have it at once, on any threads.
final class CurlHeaderList: Sendable {
    /// The fields of the requests themselves.
    private let fields: HTTPHeaders
    private let isPost: Bool
    private let asksToContinue: Bool
    private let lines: CurlList
    /// Whether the connection is to be closed behind the exchange: the fields say so, of which libcurl takes no notice.
    let asksToClose: Bool

    init(_ fields: HTTPHeaders, isPost: Bool, asksToContinue: Bool, userAgent: String?) {
        self.fields = fields
        self.isPost = isPost
        self.asksToContinue = asksToContinue
        lines = CurlList(
            CurlHeaderLines.lines(for: fields, isPost: isPost, asksToContinue: asksToContinue, userAgent: userAgent))
        asksToClose = fields.values(for: "Connection").contains { ASCII.lowercased($0).contains("close") }
    }

    /// Has the transfers of `handle` send them. The list must be there for as long as that may be.
    func set(on handle: CurlHandle) { handle.set(CURLOPT_HTTPHEADER, pointer: lines.first) }

    /// Whether it is that of requests with `fields`. Field by field: names that differ only in case are the same header and
    /// still two spellings.
    func fits(_ fields: HTTPHeaders, isPost: Bool, asksToContinue: Bool) -> Bool {
        self.isPost == isPost && self.asksToContinue == asksToContinue && self.fields.elementsEqual(fields)
    }
}

/// Makes header lists, and reuses the last one where the same is needed: most requests of a program have the same fields,
/// wherever they go. Any thread may call it.
final class CurlHeaderLists: Sendable {
    /// It goes with the last transfer that has it: there may be secrets in it.
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
