/// What URLSession of Linux does otherwise than libcurl alone, and why it cannot be helped here.
enum URLSessionException: Sendable {
    /// It is not tried.
    case skipped(String)
    /// The call ends otherwise.
    case differs(Set<String>, String)
    /// The call does not end by itself: its deadline or its cancellation ends it.
    case lasts(String)

    /// By the description of the fault.
    static let all: [String: URLSessionException] = [
        "head: half of it, then closed": .skipped(trapsInHead),
        "head: half of it, then reset": .skipped(trapsInHead),
        "head: half of it, then silence": .skipped(trapsInHead),
        "head: a byte every 20 ms": .skipped(trapsInHead),
        "head: 101 without asking, then silence": .lasts("URLSession passes over every 1xx response, this one too"),
        "head: endless fields": .lasts(hidesHead),
        "body: NUL in a trailer": .skipped(trapsAtTrailers),
        "body: endless trailers": .skipped(trapsAtTrailers),
        "body: a chunk size with a letter behind it": .differs(["200"], "URLSession does not show the sizes of chunks"),
        "body: gzip that stops early": .differs(
            ["200"], "URLSession decodes, and has no word for a coded body that breaks off"),
    ]

    private static let trapsInHead = "FoundationNetworking ends the process when a connection ends within the head"
    private static let trapsAtTrailers = "FoundationNetworking ends the process when trailer fields come"
    private static let hidesHead = "URLSession shows a head when it is whole, and has no limit of its own"
}
