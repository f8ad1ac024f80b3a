/// Why an archive cannot be read, written or used.
public struct ArchiveProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file; nil for an archive in memory.
    public internal(set) var path: String?
    /// The index of the invalid entry; nil if none is concerned.
    public let entry: Int?
    /// The method, host and path of that entry's request, if known. Nothing more, because secrets can be masked only
    /// once their names are known.
    public internal(set) var request: String?
    /// The invalid field, such as `log.entries[2].request.url`.
    public let field: String?
    /// What is wrong, and what to do.
    public let reason: String

    /// A problem and its place: the file, the index of the entry, its request, and the field.
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
