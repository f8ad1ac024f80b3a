import HTTPCore

/// The events of a task, added by the queue of the session and taken by the calling thread. When it is full, the
/// session waits or suspends the task. Any thread may use it.
struct SessionEventQueue: Sendable {
    /// The total size of bodies that may be stored unread.
    static let capacity = 1 << 20

    private struct Content {
        /// What came since `leaving` was empty.
        var events: [SessionEvent] = []
        /// What is taken next, the last one first: so taking one moves no others, however many there are.
        var leaving: [SessionEvent] = []
        var byteCount = 0
        var isClosed = false
        var isWoken = false
        var hold = SessionBackpressure.running
        /// The waiters for events and for room.
        var reader: Signal?
        var writer: Signal?
    }

    private let content = Locked(Content())

    /// Adds `event`. False when the reader has gone.
    @discardableResult
    func post(_ event: SessionEvent) -> Bool {
        let (isTaken, reader) = content.withLock { content -> (Bool, Signal?) in
            guard !content.isClosed else { return (false, nil) }
            content.events.append(event)
            content.byteCount += event.byteCount
            defer { content.reader = nil }
            return (true, content.reader)
        }
        reader?.fire()
        return isTaken
    }

    var isClosed: Bool { content.withLock { $0.isClosed } }

    /// Whether the task is to be suspended because more lies here than should; `confirmHold` says that it is.
    func beginHold() -> Bool {
        content.withLock { !$0.isClosed && $0.byteCount > Self.capacity && $0.hold.begin() }
    }

    /// Whether the task, which is suspended now, is to be resumed at once.
    func confirmHold() -> Bool { content.withLock { $0.hold.confirm() } }

    /// Whether the reader is to resume the task.
    func releaseHold() -> Bool { content.withLock { $0.byteCount <= Self.capacity / 2 && $0.hold.release() } }

    /// Waits until there is room, the reader has gone, or `end`.
    func waitForRoom(until end: TimePoint) {
        while true {
            let signal = content.withLock { content -> Signal? in
                guard !content.isClosed, content.byteCount > Self.capacity else { return nil }
                let signal = Signal()
                content.writer = signal
                return signal
            }
            guard let signal, signal.wait(until: end) else { return }
        }
    }

    /// The next event; nil when there is none yet.
    func take() -> SessionEvent? {
        let (event, writer) = content.withLock { content -> (SessionEvent?, Signal?) in
            if content.leaving.isEmpty {
                content.leaving = content.events.reversed()
                content.events.removeAll()
            }
            guard let event = content.leaving.popLast() else { return (nil, nil) }
            content.byteCount -= event.byteCount
            guard content.byteCount <= Self.capacity else { return (event, nil) }
            defer { content.writer = nil }
            return (event, content.writer)
        }
        writer?.fire()
        return event
    }

    /// Sleeps until there is an event, someone wakes it, or `end`.
    func wait(until end: TimePoint) {
        let signal = content.withLock { content -> Signal? in
            if content.isWoken || !content.events.isEmpty || !content.leaving.isEmpty {
                content.isWoken = false
                return nil
            }
            let signal = Signal()
            content.reader = signal
            return signal
        }
        _ = signal?.wait(until: end)
    }

    /// Has the reader look up, now or the next time.
    func wake() {
        let reader = content.withLock { content -> Signal? in
            content.isWoken = true
            defer { content.reader = nil }
            return content.reader
        }
        reader?.fire()
    }

    /// From now on nothing is added, and nothing waits for room.
    func close() {
        let (writer, events) = content.withLock { content -> (Signal?, [SessionEvent]) in
            content.isClosed = true
            defer {
                content.writer = nil
                content.events = []
                content.leaving = []
                content.byteCount = 0
            }
            return (content.writer, content.events + content.leaving)
        }
        // Their memory goes outside of the lock.
        withExtendedLifetime(events) { writer?.fire() }
    }
}
