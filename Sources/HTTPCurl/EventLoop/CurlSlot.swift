import HTTPSupport

/// A slot for one call in an event loop, with a transfer that is reused. An object, so that reading it copies nothing.
final class CurlSlot {
    let place: Int32
    // Only the thread that has the loop uses this; the compiler cannot check that.
    @exclusivity(unchecked) var owner: (any LoopCall)?
    @exclusivity(unchecked) var call: CurlCall?
    @exclusivity(unchecked) var transfer: CurlTransfer?
    /// What `CurlEventLoop.tasksTime` was when the call began.
    @exclusivity(unchecked) var tasksTimeBefore = TimeSpan.zero

    init(place: Int) { self.place = Int32(place) }
}

/// The slots of transfers with progress since the last check. Used by the thread that runs them.
final class CurlProgressLog {
    @exclusivity(unchecked) var slots: [Int32] = []
}
