/// How lists, nested values, Booleans and dates are written as `name=value` items, in a query or a form. No standard
/// defines this; each service does.
///
///     .query("tag", ["new", "red"], style: QueryStyle(arrays: .brackets))    // tag[]=new&tag[]=red
///
/// Some rules hold in every style. Nil is left out, also inside a list. An empty list or object writes nothing.
/// Properties keep their order of encoding; dictionary keys are sorted by Unicode scalars. Numbers are written as
/// Swift prints them (0.5, 1e-05), and a number that is not finite is an error. `Data` is written in base64, and a `URL`
/// as its absolute text.
public struct QueryStyle: Sendable, Hashable {
    /// How a list becomes `name=value` items. `.repeated` by default.
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
        /// RFC 3339 in UTC, as in JSON: `2026-03-01T09:30:00Z`, or with a fraction of a second of up to six digits,
        /// `2026-03-01T09:30:00.250Z`.
        case iso8601
        /// Seconds since 1970-01-01T00:00:00Z, rounded to the millisecond, without a fraction if it is zero.
        case secondsSince1970
        /// Milliseconds since 1970-01-01T00:00:00Z, as an integer.
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
    /// Booleans: `true` and `false`.
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
