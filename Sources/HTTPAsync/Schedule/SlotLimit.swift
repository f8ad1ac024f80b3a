import Synchronization

/// The limit that keeps a call in the queue.
enum SlotLimit: UInt8, AtomicRepresentable {
    /// `Dispatcher.Configuration.running`
    case total
    /// `Dispatcher.Configuration.runningPerHost`
    case host

    /// What keeps it there, in words.
    var obstacle: String {
        switch self {
        case .total: "as many calls as Dispatcher.Configuration.running allows are under way"
        case .host: "as many calls to this host as Dispatcher.Configuration.runningPerHost allows are under way"
        }
    }

    /// A wait of that length with which a call began.
    func wait(_ duration: Duration) -> CallWait {
        switch self {
        case .total:
            CallWait(
                .queued, start: .zero, duration: duration,
                reason: "in the queue of the dispatcher, which was already making as many calls as it may",
                advice: "raise Dispatcher.Configuration.running, or make fewer calls at once")
        case .host:
            CallWait(
                .hostLimit, start: .zero, duration: duration,
                reason: "in the queue of the dispatcher, which was already making as many calls to this host as it may",
                advice: "raise Dispatcher.Configuration.runningPerHost, or make fewer calls at once")
        }
    }
}
