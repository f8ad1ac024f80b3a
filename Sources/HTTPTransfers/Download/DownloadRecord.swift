import HTTPSupport

/// The record of an unfinished download. It is stored beside the fetched part, for the call that resumes it.
struct DownloadRecord: Codable, Hashable {
    /// The requested URL, for people. Its secrets are masked.
    let url: String
    /// The SHA-256 of the URL as sent. It identifies the request without storing a secret in its query.
    let digest: String
    /// The validator that the rest must match (RFC 9110 §13.1.5). Nil if the server sent none that is strong, and then
    /// the download cannot be resumed.
    let validator: String?
    /// The total length in bytes; nil if the server did not send it.
    private(set) var total: Int64?
    /// The server's name for the file, made safe; nil if it gave none.
    let name: String?

    init(url: String, validator: String?, total: Int64?, name: String? = nil) {
        self.url = String(Redaction.urlText(url).prefix(2_000))
        digest = Self.digest(of: url)
        self.validator = validator
        self.total = total
        self.name = name
    }

    /// The record for the head of a whole response.
    init(url: String, headers: HTTPHeaders) {
        // A transfer coding overrides the length (RFC 9112 §6.3).
        let length = headers.contains("Transfer-Encoding") ? nil : headers["Content-Length"]
        self.init(
            url: url, validator: Self.validator(headers), total: length.flatMap { Int64($0) },
            name: headers["Content-Disposition"].flatMap(ContentDisposition.fileName).flatMap { FileName($0)?.text })
    }

    static func digest(of url: String) -> String { SHA256.hexadecimal(of: url.utf8) }

    func isOf(_ url: String) -> Bool { digest == Self.digest(of: url) }

    /// The same record, with a total length that is now known.
    func with(total: Int64) -> DownloadRecord {
        var record = self
        record.total = total
        return record
    }

    /// A strong entity tag that may occur in a request. Otherwise the Last-Modified date, if it is at least a second
    /// before the date of the response: within one second a file may change twice (RFC 9110 §8.8.2.2).
    private static func validator(_ headers: HTTPHeaders) -> String? {
        // A record is small.
        if let tag = headers["ETag"] { return isStrong(tag) && tag.utf8.count <= 1_024 ? tag : nil }
        let now = CallClock.system.unixTime()
        guard let modified = headers["Last-Modified"], let changed = HTTPDate(modified, now: now),
            let sent = headers["Date"].flatMap({ HTTPDate($0, now: now) }), changed.unixTime < sent.unixTime
        else { return nil }
        return modified
    }

    private static func isStrong(_ tag: String) -> Bool {
        tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"") && !tag.utf8.contains(where: ASCII.isControl)
    }

    /// Whether the head of another response is of the same version. A response without a validator is accepted, because
    /// it met the condition.
    func agrees(with headers: HTTPHeaders) -> Bool {
        guard let validator, let given = validator.hasPrefix("\"") ? headers["ETag"] : headers["Last-Modified"] else {
            return true
        }
        return given == validator
    }
}
