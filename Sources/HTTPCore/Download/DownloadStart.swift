/// Where a download begins, given the files on the disk.
enum DownloadStart: Hashable {
    case fromNothing
    /// After the fetched bytes, if the server still has the version of `validator`.
    case resume(at: Int64, validator: String)
    /// It is complete.
    case atEnd

    init(_ record: DownloadRecord?, size: Int64, url: String) {
        guard let record, record.isOf(url), size > 0 else {
            self = .fromNothing
            return
        }
        if record.total == size {
            self = .atEnd
        } else if let validator = record.validator, size < record.total ?? .max {
            self = .resume(at: size, validator: validator)
        } else {
            self = .fromNothing
        }
    }

    /// What is asked of the server, in place of what was asked before. The bytes are counted as they are sent, so no
    /// coding is asked for.
    var step: RequestStep {
        let plain: RequestStep =
            .header("Accept-Encoding", "identity") |> .removingHeader("Range") |> .removingHeader("If-Range")
        guard case .resume(let offset, let validator) = self else { return plain }
        return plain |> .header("Range", "bytes=\(offset)-") |> .header("If-Range", validator)
    }
}
