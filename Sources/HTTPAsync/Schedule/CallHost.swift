/// The host of a call in the form of a Host header, for the limit per host, without making that text for each call.
struct CallHost: Hashable, Sendable {
    /// In lower case.
    private let name: String
    /// Nil if the header has none.
    private let port: Int?

    init(_ origin: Origin) {
        name = origin.host
        port = origin.port == origin.scheme.defaultPort ? nil : origin.port
    }

    /// The same for the text of a header: `api.example.com`, `127.0.0.1:8080`. Different texts are different hosts,
    /// except for letter case and for an international name and its A-labels.
    init(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = Int(text[text.utf8.index(after: colon)...]), text[colon...].utf8.elementsEqual(":\(port)".utf8)
        else {
            name = Origin(scheme: .http, host: text).host
            port = nil
            return
        }
        name = Origin(scheme: .http, host: String(text[..<colon])).host
        self.port = port
    }
}
