public import HTTPCore

/// A list of recorded exchanges in the HTTP Archive format, HAR 1.2: what browsers export, and what `RecordingClient`
/// writes.
///
/// The properties have the names of the format. Sizes are in bytes and times in milliseconds; -1 means unknown or not
/// applicable. Custom fields begin with an underscore: those listed here are kept, others are ignored.
///
/// Source: the specification at http://www.softwareishard.com/blog/har-12-spec.
public struct HTTPArchive: Sendable, Hashable {
    /// The version of the format.
    public var version: String
    /// The program that wrote the archive.
    public var creator: Creator
    /// The browser that recorded it.
    public var browser: Creator?
    /// The pages of a browser that the entries belong to (HAR 1.2, `pages`), as they are in the file.
    public var pages: JSONValue?
    /// The exchanges; in archives of this package in the order in which their calls ended.
    public var entries: [Entry]
    /// A comment; nil for none.
    public var comment: String?
    /// A random identifier of the process that wrote it, if that was a `RecordingClient`.
    public var process: String?
    /// The entries that could not be read, and why; they are not in `entries`.
    public internal(set) var skipped: [ArchiveProblem] = []

    /// An archive of these exchanges, of HAR version 1.2.
    public init(entries: [Entry] = [], creator: Creator = .straightline, comment: String? = nil) {
        version = "1.2"
        self.creator = creator
        self.entries = entries
        self.comment = comment
    }

    /// The name and version of a program.
    public struct Creator: Sendable, Hashable, Codable {
        /// The name of the program.
        public var name: String
        /// The version of the program.
        public var version: String
        /// A comment; nil for none.
        public var comment: String?

        /// A program by name and version.
        public init(name: String, version: String, comment: String? = nil) {
            self.name = name
            self.version = version
            self.comment = comment
        }

        /// This package. The version is always `1`: a new version of the package changes no recording.
        public static let straightline = Creator(name: "straightline", version: "1")
    }
}
