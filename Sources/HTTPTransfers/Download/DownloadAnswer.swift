import HTTPSupport

/// How the head of a response affects a download.
enum DownloadAnswer: Hashable {
    /// These bytes of the whole follow, from the end of the part or from before it.
    case append(ClosedRange<Int64>, total: Int64)
    /// The whole file follows, possibly in another version.
    case startOver(DownloadRecord)
    /// The body is not the file: the status is no answer to a download.
    case ignore
    /// The response does not continue the part, for this reason. The download starts over.
    case refuse(String)

    /// `length` is the number of bytes of the body, nil if unknown.
    init(
        _ status: HTTPStatus, _ headers: HTTPHeaders, length: Int64? = nil, to start: DownloadStart,
        record: DownloadRecord?, url: String
    ) {
        guard status == .partialContent else {
            self = status == .ok ? .startOver(DownloadRecord(url: url, headers: headers)) : .ignore
            return
        }
        // RFC 9110 §15.3.7.2: the parts of several ranges, which were not asked for.
        if let type = headers["Content-Type"].flatMap(MediaType.init), type.essence == "multipart/byteranges" {
            self = .refuse("it is of the type multipart/byteranges, and one range at most was asked for")
            return
        }
        guard let range = headers["Content-Range"].flatMap(ContentRange.init), let bytes = range.bytes else {
            // By scalars: a character may have any number of them.
            let start = headers["Content-Range"].map { ASCII.quoted(String($0.unicodeScalars.prefix(80))) }
            let words = start.map { "is \($0)" } ?? "is missing"
            self = .refuse("it is a 206 whose Content-Range \(words), so that it does not say which bytes it has")
            return
        }
        if let length, length != bytes.length {
            self = .refuse("it is a 206 with \(length) bytes for the \(bytes.length) of its Content-Range")
            return
        }
        self = Self.part(bytes, range.total, headers, start, record, url)
    }

    private static func part(
        _ bytes: ClosedRange<Int64>, _ announced: Int64?, _ headers: HTTPHeaders, _ start: DownloadStart,
        _ record: DownloadRecord?, _ url: String
    ) -> DownloadAnswer {
        guard case .resume(let offset, _) = start else {
            // All of it, though called a part.
            guard let announced, bytes == 0...(announced - 1) else {
                return .refuse("it is a 206 with a part of the file, and the whole was asked for")
            }
            return .startOver(DownloadRecord(url: url, headers: headers).with(total: announced))
        }
        guard bytes.lowerBound <= offset else {
            return .refuse("it has the bytes from \(bytes.lowerBound) on, and those from \(offset) on were asked for")
        }
        guard record?.agrees(with: headers) == true else {
            return .refuse("it is a part of another version of the file than If-Range named (RFC 9110 §13.1.5)")
        }
        guard let total = announced ?? record?.total else {
            return .refuse("it is a part of a file of unknown length")
        }
        guard total == record?.total ?? total, bytes.upperBound < total else {
            return .refuse("it is a part of a file of another length than before, of the same version")
        }
        return .append(bytes, total: total)
    }
}
