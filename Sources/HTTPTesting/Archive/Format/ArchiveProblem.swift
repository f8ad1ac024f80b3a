/// Why an archive cannot be read, written or used.
public struct ArchiveProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file; nil for an archive in memory.
    public internal(set) var path: String?
    /// Which entry is at fault, counted from 0.
    public let entry: Int?
    /// What that entry asks for, as far as it can be told; secrets are not masked before it is known what they are, so
    /// it is method, host and path only.
    public internal(set) var request: String?
    /// Where the field at fault is, as `log.entries[2].request.url`.
    public let field: String?
    /// What is wrong, and what to do, in words.
    public let reason: String

    /// A problem in words, with the place where it is: the file, the number of the entry (from 0), its request, and
    /// the field.
    public init(_ reason: String, path: String? = nil, entry: Int? = nil, request: String? = nil, field: String? = nil)
    {
        self.reason = reason
        self.path = path
        self.entry = entry
        self.request = request
        self.field = field
    }

    public var description: String {
        let place = path.map { "the archive \($0)" } ?? "the archive"
        let which = entry.map { ", entry \($0)" + (request.map { " (\($0))" } ?? "") } ?? ""
        return "\(place) cannot be used\(which)\(field.map { ", \($0)" } ?? ""): \(reason)"
    }
}
