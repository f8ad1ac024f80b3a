import HTTPFoundation
import HTTPSupport

/// The validators of a downloaded file, stored beside it in `.validators.json`.
struct FileValidators: Codable, Hashable {
    static let ending = ".validators.json"

    /// The SHA-256 of the file's URL.
    let digest: String
    /// The ETag as received, possibly weak: this comparison allows it (RFC 9110 §8.8.3.2).
    let entityTag: String?
    /// The Last-Modified as received.
    let lastModified: String?
    /// The size and modification time of the file when it was fetched. If they differ now, it was changed locally.
    let size: Int64
    let modified: Int64

    init(url: String, headers: HTTPHeaders, file: FileStatus) {
        digest = DownloadRecord.digest(of: url)
        entityTag = headers["ETag"].flatMap { Self.isFieldValue($0) ? $0 : nil }
        lastModified = headers["Last-Modified"].flatMap { HTTPDate($0, now: 0) == nil ? nil : $0 }
        (size, modified) = (file.size, file.modified)
    }

    /// Whether the record belongs to the existing file and to `url`.
    func areOf(_ file: FileStatus, from url: String) -> Bool {
        digest == DownloadRecord.digest(of: url) && file.size == size && file.modified == modified
    }

    private static func isFieldValue(_ tag: String) -> Bool { !tag.isEmpty && ASCII.isFieldValue(tag) }
}

extension FileValidators {
    /// The record for the file at `target`; nil if there is none that is readable and belongs to this user.
    static func kept(of target: String) -> FileValidators? { try? PartialFile.record(at: target + ending) }

    /// Stores the record for the file at `target`. No lock keeps others from doing the same.
    func keep(of target: String) throws(BodyProblem) {
        let path = target + Self.ending
        let temporaryPath = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        try StoredRecord.write(self, to: path, through: temporaryPath, syncing: true)
    }

    static func forget(of target: String) { _ = unlink(target + ending) }
}

extension RequestStep {
    /// The condition of a request for a file that may already exist, by the validators that are kept of it, or else by its
    /// modification time. Nil for none: the file does not exist, may be from another URL, or was changed locally.
    static func condition(of file: FileStatus?, _ kept: FileValidators?, url: String) -> RequestStep? {
        guard let file else { return nil }
        guard let kept else {
            return CivilTime(Date(timeIntervalSince1970: Double(file.modified)))
                .map { .crossing("If-Modified-Since", $0.httpDate) }
        }
        guard kept.areOf(file, from: url), kept.entityTag != nil || kept.lastModified != nil else { return nil }
        return .ifLet(kept.entityTag) { .crossing("If-None-Match", $0) }
            |> .ifLet(kept.lastModified) { .crossing("If-Modified-Since", $0) }
    }
}
