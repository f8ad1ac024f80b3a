import HTTPFoundation

/// The loggable form of a body.
struct LoggedBody {
    private let data: Data
    private let type: MediaType?

    init(_ data: Data, type: String?) {
        self.data = data
        self.type = type.flatMap(MediaType.init)
    }

    /// The first `limit` bytes on one line. Only text is shown. Text that mentions a secret, or contains a
    /// secret-looking name, is withheld as a whole: it is unknown which part belongs to the name.
    func start(_ limit: Int) -> String {
        guard limit > 0, !data.isEmpty, type?.isText == true else { return size }
        let text = String(decoding: data.prefix(limit), as: UTF8.self)
        // In another encoding, secret-looking words would not be recognized.
        guard !text.utf8.contains(0) else { return size }
        guard !Redaction.withholds(text) else { return "\(Redaction.mask), \(size)" }
        let isForm = type?.essence == "application/x-www-form-urlencoded"
        let shown = isForm ? Redaction.maskedQuery(text[...]) : text
        return ASCII.printable(shown) + (data.count > limit ? " … (\(size))" : "")
    }

    private var size: String { data.count == 1 ? "1 byte" : "\(data.count) bytes" }
}
