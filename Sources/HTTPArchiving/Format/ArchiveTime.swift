public import HTTPFoundation

/// The dates of an archive, in ISO 8601.
enum ArchiveTime {
    /// `2026-03-01T09:30:00.125Z`
    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension HTTPArchive.Entry {
    /// `startedDateTime` as a date; nil if it is invalid.
    public var started: Date? { TimestampText.date(startedDateTime) }
}
