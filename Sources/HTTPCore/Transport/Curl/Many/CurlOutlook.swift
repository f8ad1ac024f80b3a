#if canImport(CLibcurl)

/// Which is cheaper for the thread that runs many transfers: to look at all of them in each turn, or only at those whose
/// sockets are ready. A decision over counts: it knows no sockets.
///
/// To look at a transfer in vain costs the question to the system whether its socket is ready. To have libcurl tell what it
/// waits for costs about twice that for each transfer that moves.
struct CurlOutlook {
    /// Whether to look at all of them.
    private(set) var isWide: Bool
    /// Whether it stays as it was at first.
    private let isFixed: Bool
    // Of the last turns, the latest counting most; in sixteenths.
    private var moved = 0
    private var looked = 0

    init(isWide: Bool = true, isFixed: Bool = false) {
        self.isWide = isWide
        self.isFixed = isFixed
    }

    /// In a turn bytes of so many transfers moved, of those under way.
    mutating func note(moved: Int, of active: Int) {
        guard active > 0 else { return }
        self.moved += moved - self.moved >> 4
        looked += active - looked >> 4
        // Far apart, since the change costs a look at all.
        let changes = isWide ? self.moved < looked / 4 : self.moved > looked / 2
        if changes, !isFixed { isWide.toggle() }
    }
}
#endif
