#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The dates of an archive, in ISO 8601.
enum ArchiveTime {
    /// `2026-03-01T09:30:00.125Z`
    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Parses a date with or without a fraction of a second, in UTC or with an offset.
    static func date(_ text: String) -> Date? {
        // The format style accepts three fractional digits or none; recorders write up to nine.
        let dot = text.firstIndex(of: ".")
        let rest = dot.map { text[text.index(after: $0)...].drop { $0.isNumber } } ?? ""
        let whole = dot.map { String(text[..<$0]) + rest } ?? text
        guard let date = try? Date.ISO8601FormatStyle().parse(whole) else { return nil }
        let digits = dot.map { text[text.index(after: $0)...].prefix { $0.isNumber } } ?? ""
        return date.addingTimeInterval(Double("0." + digits) ?? 0)
    }
}

extension HTTPArchive.Entry {
    /// `startedDateTime` as a date; nil if it is invalid.
    public var started: Date? { ArchiveTime.date(startedDateTime) }
}
