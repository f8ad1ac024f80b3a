/// How lists, nested values, truth values and dates are written as `name=value` items, in a query as in a form. No
/// standard says, so the service does.
///
///     .query("tag", ["new", "red"], style: QueryStyle(arrays: .brackets))    // tag[]=new&tag[]=red
///
/// What no style changes: nil is left out, also inside a list; an empty list or object is nothing; properties keep the
/// order in which they are encoded; the keys of a dictionary are sorted by Unicode scalars; numbers are written in
/// decimal with a point, and one that is not finite is an error; `Data` is base64 and `URL` its absolute text.
public struct QueryStyle: Sendable, Hashable {
    /// How a list becomes `name=value` items. No standard says; `.repeated` by default.
    public enum Arrays: Sendable, Hashable {
        /// `a=1&a=2`.
        case repeated
        /// `a[]=1&a[]=2`. The brackets are percent-encoded, as RFC 3986 §3.4 has it.
        case brackets
        /// `a=1,2`, with a bare comma in a query (RFC 6570 §3.2.8). An element with a comma in it is an error: most
        /// servers decode before they split.
        case commas
        /// `a[0]=1&a[1]=2`. The only style for lists of lists and objects.
        case indexed
    }

    /// How a Boolean is spelled. `.words` by default.
    public enum Booleans: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// How a `Date` is spelled. `.iso8601` by default.
    public enum Dates: Sendable, Hashable {
        /// `2026-03-01T09:30:00Z`: ISO 8601 in UTC (RFC 3339), cut to whole seconds.
        case iso8601
        /// Seconds since 1970-01-01T00:00:00Z, rounded to the millisecond and without a fraction where there is none.
        case secondsSince1970
        /// The same in whole milliseconds.
        case millisecondsSince1970
    }

    /// How the name of a nested value is spelled. `.brackets` by default.
    public enum Objects: Sendable, Hashable {
        /// `filter[state]=open`.
        case brackets
        /// `filter.state=open`.
        case dots
    }

    /// Lists: `a=1&a=2`.
    public var arrays: Arrays
    /// Truth values: `true` and `false`.
    public var booleans: Booleans
    /// Dates, from year 0 to 9999: ISO 8601 in UTC.
    public var dates: Dates
    /// The names of nested values: `filter[state]`.
    public var objects: Objects

    /// A style. Omitted settings have their defaults.
    public init(
        arrays: Arrays = .repeated, booleans: Booleans = .words, dates: Dates = .iso8601, objects: Objects = .brackets
    ) {
        self.arrays = arrays
        self.booleans = booleans
        self.dates = dates
        self.objects = objects
    }
}
