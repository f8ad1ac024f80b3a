#if canImport(CLibcurl)

/// Room for one call in a `CurlLoop`, and the transfer that stays for the next. An object, so that nothing of it is copied by
/// looking at it.
final class CurlSlot<Item> {
    let place: Int32
    // Only the thread that runs the loop has it, and the compiler cannot see that.
    @exclusivity(unchecked) var item: Item?
    @exclusivity(unchecked) var call: CurlCall?
    @exclusivity(unchecked) var transfer: CurlTransfer?
    /// Whether the exchange under way is counted among those that are not known to end on this machine.
    @exclusivity(unchecked) var isDistant = false

    init(place: Int) { self.place = Int32(place) }
}
#endif
