/// A deviation of URLSession on Linux from plain libcurl, with the reason why it cannot be fixed here.
enum URLSessionException: Sendable {
    /// The fault is not tried.
    case skipped(String)
    /// The call has another outcome.
    case differs(Set<String>, String)
    /// The call does not end by itself: only its deadline or its cancellation ends it.
    case lasts(String)

    /// The exceptions, by the description of the fault.
    static let all: [String: URLSessionException] = [
        "head: half of it, then closed": .skipped(trapsInHead),
        "head: half of it, then reset": .skipped(trapsInHead),
        "head: half of it, then silence": .skipped(trapsInHead),
        "head: a byte every 20 ms": .skipped(trapsInHead),
        "head: endless fields": .lasts(hidesHead),
        "head: reset at once": .differs(
            ["connection unreachable", "connection broken", "connection closedBeforeResponse"],
            "URLSession says of some resets only that there is no connection"),
        "head: folded first line": .differs(["connection other"], "URLSession's code for it says nothing"),
        "body: NUL in a trailer": .skipped(trapsAtTrailers),
        "body: endless trailers": .skipped(trapsAtTrailers),
        "body: a chunk size with a letter behind it": .differs(["200"], "URLSession does not show the sizes of chunks"),
        "body: an endless chunk extension": .lasts("URLSession does not show the sizes of chunks"),
        "body: gzip that stops early": .differs(
            ["200"], "URLSession decodes, and has no word for a coded body that breaks off"),
        "redirect: with a silent body": .lasts(readsRedirects),
        "redirect: with a body of a byte every 20 ms": .lasts(readsRedirects),
        "redirect: with an endless body": .lasts(readsRedirects),
        "redirect: with more body than it announces": .skipped(
            "URLSession may take what is too much for the answer to the next request"),
    ]

    private static let readsRedirects = "URLSession reads the body of a redirect to its end"
    private static let trapsInHead = "FoundationNetworking ends the process when a connection ends within the head"
    private static let trapsAtTrailers = "FoundationNetworking ends the process when trailer fields come"
    private static let hidesHead = "URLSession shows a head when it is whole, and has no limit of its own"
}
