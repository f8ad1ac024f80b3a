import HTTPCore

/// Where calls go, for the limit of those to one host: what a Host header names, without making the text of it for each
/// call.
struct CallHost: Hashable, Sendable {
    /// In lower case.
    private let name: String
    /// Nil where the header names none.
    private let port: Int?

    init(_ origin: Origin) {
        name = origin.host
        port = origin.port == origin.scheme.defaultPort ? nil : origin.port
    }

    /// The same for what a header would say: `api.example.com`, `127.0.0.1:8080`. Different texts are different hosts,
    /// but for the case of letters.
    init(_ text: String) {
        let text = text.lowercased()
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            text[colon...] == ":\(port)"
        else {
            name = text
            port = nil
            return
        }
        name = String(text[..<colon])
        self.port = port
    }
}
