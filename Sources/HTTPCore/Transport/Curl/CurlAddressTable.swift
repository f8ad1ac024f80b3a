#if canImport(CLibcurl)
import CLibcurl

/// Whether libcurl goes through its table of addresses for old ones once an exchange is over, which takes it a hundredth of
/// a request.
///
/// It need not over a connection that was there before. What is looked up goes by the limit as always, and the exchange that
/// does so throws out what is older, as long as the connection is its own: those of HTTP/2 are not.
struct CurlAddressTable {
    /// libcurl's own limit: for so long it uses an address again.
    private static let seconds = 60
    private static let forEver = -1

    /// Nil where it goes through them each time.
    private let handle: CurlHandle?
    private(set) var isLeftAlone = false

    init(_ handle: CurlHandle?) { self.handle = CurlLibrary.shared.keepsAddresses ? handle : nil }

    /// Before an exchange, which may look something up.
    mutating func begin() {
        if isLeftAlone { leaveAlone(false) }
    }

    /// A connection that was there before has been picked. From here on none is opened in the exchange under way: whatever
    /// address libcurl finds while it takes any for good, it cannot use.
    mutating func leaveAlone() {
        if handle != nil, !isLeftAlone { leaveAlone(true) }
    }

    private mutating func leaveAlone(_ isLeftAlone: Bool) {
        self.isLeftAlone = isLeftAlone
        handle?.set(CURLOPT_DNS_CACHE_TIMEOUT, isLeftAlone ? Self.forEver : Self.seconds)
    }
}
#endif
