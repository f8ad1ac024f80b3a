/// Where a download starts, given the files on disk.
enum DownloadStart: Hashable {
    case fromNothing
    /// After the fetched bytes, if the server still has the version of `validator`.
    case resume(at: Int64, validator: String)
    /// It is complete.
    case atEnd

    /// `isAsking`: whether the server has to say that a complete part is its version, too. It does by the last byte, which is
    /// fetched again.
    init(_ record: DownloadRecord?, size: Int64, url: String, isAsking: Bool = false) {
        guard let record, record.isOf(url), size > 0 else {
            self = .fromNothing
            return
        }
        if record.total == size, !isAsking {
            self = .atEnd
        } else if let validator = record.validator, size <= record.total ?? .max {
            self = .resume(at: min(size, (record.total ?? .max) - 1), validator: validator)
        } else {
            self = .fromNothing
        }
    }

    /// The number of bytes before it; 0 for a complete file, too.
    var offset: Int64 { if case .resume(let offset, _) = self { offset } else { 0 } }

    /// The step that requests the missing bytes and replaces an earlier one. No content coding is requested, because
    /// the bytes are counted as sent.
    var step: RequestStep {
        let plain: RequestStep =
            .header("Accept-Encoding", "identity") |> .removingHeader("Range") |> .removingHeader("If-Range")
        guard case .resume(let offset, let validator) = self else { return plain }
        return plain |> .header("Range", "bytes=\(offset)-") |> .header("If-Range", validator)
    }
}
