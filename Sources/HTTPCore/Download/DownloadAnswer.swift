/// How the head of a response affects a download.
enum DownloadAnswer: Hashable {
    /// These bytes of the whole follow.
    case append(ClosedRange<Int64>, total: Int64)
    /// The whole file follows, possibly in another version.
    case startOver(DownloadRecord)
    /// The part is of another version, which a server that supports If-Range does not send, or the total length is
    /// unknown.
    case changed
    /// The response is invalid, for this reason.
    case refuse(String)

    init(_ status: HTTPStatus, _ headers: HTTPHeaders, to start: DownloadStart, record: DownloadRecord?, url: String) {
        guard status == .partialContent else {
            self =
                status == .ok
                ? .startOver(DownloadRecord(url: url, headers: headers))
                : .refuse("answered \(status), which is no answer to a download")
            return
        }
        guard case .resume(let offset, _) = start else {
            self = .refuse("sent a part of the file, and the whole was asked for")
            return
        }
        guard let range = headers["Content-Range"].flatMap(ContentRange.init), let bytes = range.bytes else {
            self = .refuse("sent a part of the file and does not say which: its Content-Range is missing or broken")
            return
        }
        guard bytes.lowerBound == offset else {
            self = .refuse("sent bytes from \(bytes.lowerBound) on, and those from \(offset) on were asked for")
            return
        }
        guard let total = range.total ?? record?.total, total == record?.total ?? total,
            record?.agrees(with: headers) == true
        else {
            self = .changed
            return
        }
        self = .append(bytes, total: total)
    }
}
