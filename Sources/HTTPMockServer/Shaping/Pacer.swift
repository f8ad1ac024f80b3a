/// The schedule of bytes at a constant rate. Each time is relative to the start, so that late waits do not add up.
struct Pacer: Equatable {
    /// Bytes per second.
    let rate: Int
    let start: ContinuousClock.Instant

    private static let mostBytes = 16_384
    private static let piecesPerSecond = 100

    init(rate: Int, start: ContinuousClock.Instant) {
        self.rate = max(1, rate)
        self.start = start
    }

    /// The number of bytes to send at once: about a hundredth of a second.
    var pieceSize: Int { min(max(rate / Self.piecesPerSecond, 1), Self.mostBytes) }

    /// When the last of the first `count` bytes has arrived.
    func due(after count: Int) -> ContinuousClock.Instant {
        start + .nanoseconds(Int64(Double(count) / Double(rate) * 1_000_000_000))
    }
}
