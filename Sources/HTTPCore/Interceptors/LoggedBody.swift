#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body as a log may show it.
struct LoggedBody {
    private let data: Data
    private let type: MediaType?

    init(_ data: Data, type: String?) {
        self.data = data
        self.type = type.flatMap(MediaType.init)
    }

    /// The first `limit` bytes on one line. Only text is shown, and none that speaks of a secret or has a name in it that
    /// secrets go by: what belongs to the name cannot be told from what may be read.
    func start(_ limit: Int) -> String {
        guard limit > 0, !data.isEmpty, isText else { return size }
        let text = String(decoding: data.prefix(limit), as: UTF8.self)
        // In another encoding its words would not be recognized.
        guard !text.utf8.contains(0) else { return size }
        guard !Redaction.mentionsSecret(text), !Redaction.namesSecret(text) else { return "\(Redaction.mask), \(size)" }
        return ASCII.printable(text) + (data.count > limit ? " … (\(size))" : "")
    }

    private var size: String { data.count == 1 ? "1 byte" : "\(data.count) bytes" }

    private var isText: Bool {
        guard let type else { return false }
        return type.isJSON || type.essence.hasPrefix("text/") || type.essence.hasSuffix("xml")
            || type.essence == "application/x-www-form-urlencoded"
    }
}
