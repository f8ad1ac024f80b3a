/// A list of recorded exchanges in the HTTP Archive format, HAR 1.2: what browsers export, and what `RecordingClient`
/// writes.
///
/// The properties have the names that the format gives them. Sizes are in bytes and times in milliseconds; -1 says that
/// a figure is not known or does not apply. Custom fields begin with an underscore: those listed here are kept, others
/// are read over.
///
/// Source: the specification at http://www.softwareishard.com/blog/har-12-spec.
public struct HTTPArchive: Sendable, Hashable {
    /// The version of the format.
    public var version: String
    /// The program that wrote the archive.
    public var creator: Creator
    /// The browser it was recorded by.
    public var browser: Creator?
    /// The pages of a browser that the entries belong to.
    public var pages: [Page]?
    /// The exchanges, the earliest one first in archives of this package.
    public var entries: [Entry]
    public var comment: String?
    /// Which process wrote it, where that was a `RecordingClient`; random.
    public var process: String?

    public init(entries: [Entry] = [], creator: Creator = .straightline, comment: String? = nil) {
        version = "1.2"
        self.creator = creator
        self.entries = entries
        self.comment = comment
    }

    /// The name and version of a program.
    public struct Creator: Sendable, Hashable, Codable {
        public var name: String
        public var version: String
        public var comment: String?

        public init(name: String, version: String, comment: String? = nil) {
            self.name = name
            self.version = version
            self.comment = comment
        }

        /// This package.
        public static let straightline = Creator(name: "straightline", version: "1")
    }

    /// A page that a browser showed.
    public struct Page: Sendable, Hashable, Codable {
        /// ISO 8601.
        public var startedDateTime: String
        public var id: String
        public var title: String
        public var pageTimings: PageTimings
        public var comment: String?

        public init(startedDateTime: String, id: String, title: String, pageTimings: PageTimings = PageTimings()) {
            self.startedDateTime = startedDateTime
            self.id = id
            self.title = title
            self.pageTimings = pageTimings
        }
    }

    /// When a page was there, in milliseconds from its start.
    public struct PageTimings: Sendable, Hashable, Codable {
        public var onContentLoad: Double?
        public var onLoad: Double?
        public var comment: String?

        public init(onContentLoad: Double? = nil, onLoad: Double? = nil) {
            self.onContentLoad = onContentLoad
            self.onLoad = onLoad
        }
    }
}
