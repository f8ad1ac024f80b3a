import HTTPCore

/// Room for one call in an event loop, and the transfer that stays for the next. An object, so that nothing of it is copied
/// by looking at it.
final class CurlSlot {
    let place: Int32
    // Only the thread that has the loop has this, and the compiler cannot see that.
    @exclusivity(unchecked) var owner: (any LoopCall)?
    @exclusivity(unchecked) var call: CurlCall?
    @exclusivity(unchecked) var transfer: CurlTransfer?

    init(place: Int) { self.place = Int32(place) }
}

/// The places of the transfers in which bytes have moved since somebody last looked. Touched by the thread that runs them.
final class CurlProgressLog {
    @exclusivity(unchecked) var slots: [Int32] = []
}
