import HTTPContract
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPURLSession
import TestSupport

/// The engines of this package, with the exclusions of each: the one list of them.
enum Engines {
    static let all = [curl, urlSession]

    static let curl = TransportContract("CurlTransport") { CurlTransport() }

    #if canImport(FoundationNetworking)
    static let urlSession = TransportContract("URLSessionTransport (Linux)", excluding: onLinux) {
        URLSessionTransport()
    }
    #else
    static let urlSession = TransportContract("URLSessionTransport (Apple)", excluding: onApple) {
        URLSessionTransport()
    }
    #endif

    private typealias Exclusion = TransportContract.Exclusion

    /// `make soak` tries the first two, which end after 20 and 5 seconds.
    private static let onLinux = [
        Exclusion(
            "connecting to a port that never answers ends at the connect timeout",
            because: "nothing tells when a connection stands", isTried: Soak.isFull),
        Exclusion(
            "a server that never answers runs into the idle timeout",
            because: "nothing tells when a connection stands", isTried: Soak.isFull),
        Exclusion(
            "a gzip body that stops early is truncated",
            because: "the engine decodes, and has no word for a coded body that breaks off"),
        Exclusion(
            "a redirect that names no place is delivered with its body",
            because: "the engine loses the body; it is an error, not an empty one"),
        Exclusion(
            "a stream of unknown length arrives in chunks",
            because: "a source is read to its end before anything is sent, with its length"),
        Exclusion(
            "a protocol name in small letters and a NUL or CR in a value are refused",
            because: "the bytes of a head are not to be seen"),
        Exclusion(
            "a chunk size with a letter behind it and a chunk line without CR are refused",
            because: "the engine undoes chunks, and reads them leniently"),
        Exclusion(
            "a body in a coding that nobody knows is delivered as it came",
            because: "the engine refuses it; it is an unsupported error"),
        Exclusion(
            "trailer fields behind a chunked body are kept apart", because: "the engine traps, which ends the process",
            isTried: false),
        Exclusion(
            "a connection that ends within the head is a connection failure",
            because: "the engine traps, which ends the process", isTried: false),
        // Their calls end before the connections do, but the engine hears of it later.
        Exclusion(
            "a head that is too large is refused before it ends",
            because: "a head is seen only when it is whole, and one that is cut off ends the process", isTried: false),
        Exclusion(
            "a switch of protocols is refused",
            because: "it is, but a connection that ends there ends the process", isTried: false),
    ]

    /// By the documentation only. It was not run.
    private static let onApple = [
        Exclusion(
            "connecting to a port that never answers ends at the connect timeout",
            because: "nothing tells when a connection stands"),
        Exclusion(
            "a server that never answers runs into the idle timeout", because: "nothing tells when a connection stands"
        ),
        Exclusion(
            "a head that is too large is refused before it ends", because: "a head is seen only when it is whole"),
        Exclusion(
            "a protocol name in small letters and a NUL or CR in a value are refused",
            because: "the bytes of a head are not to be seen"),
        Exclusion("trailer fields behind a chunked body are kept apart", because: "the system drops them"),
    ]
}
