import HTTPSupport

/// The events of a task, added by the queue of the session and taken by the calling thread. When it is full, the
/// session waits or suspends the task. Any thread may use it.
struct SessionEventQueue: Sendable {
    /// The maximum total size of unread bodies, in bytes.
    static let capacity = 1 << 20

    private struct Content {
        /// The events added since `leaving` was emptied.
        var events: [SessionEvent] = []
        /// The events to take next, in reverse order, so that taking one moves no others.
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

    /// Adds `event`, unless the reader has gone.
    func post(_ event: SessionEvent) {
        let reader = content.withLock { content -> Signal? in
            guard !content.isClosed else { return nil }
            content.events.append(event)
            content.byteCount += event.byteCount
            return content.reader.take()
        }
        reader?.fire()
    }

    var isClosed: Bool { content.withLock { $0.isClosed } }

    /// Whether the task must be suspended because the queue is too full. Call `confirmHold` when it is suspended.
    func beginHold() -> Bool {
        content.withLock { !$0.isClosed && $0.byteCount > Self.capacity && $0.hold.begin() }
    }

    /// Whether the task, which is now suspended, must be resumed at once.
    func confirmHold() -> Bool { content.withLock { $0.hold.confirm() } }

    /// Whether the reader must resume the task.
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

    /// The next event; nil if there is none yet.
    func take() -> SessionEvent? {
        let (event, writer) = content.withLock { content -> (SessionEvent?, Signal?) in
            if content.leaving.isEmpty {
                content.leaving = content.events.reversed()
                content.events.removeAll()
            }
            guard let event = content.leaving.popLast() else { return (nil, nil) }
            content.byteCount -= event.byteCount
            guard content.byteCount <= Self.capacity else { return (event, nil) }
            return (event, content.writer.take())
        }
        writer?.fire()
        return event
    }

    /// Waits until there is an event, a wake-up, or `end`.
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

    /// Wakes the reader, now or on its next wait.
    func wake() {
        let reader = content.withLock { content -> Signal? in
            content.isWoken = true
            return content.reader.take()
        }
        reader?.fire()
    }

    /// From now on nothing is added, and no thread waits for room.
    func close() {
        let (writer, events) = content.withLock { content -> (Signal?, [SessionEvent]) in
            let events = content.events + content.leaving
            (content.isClosed, content.events, content.leaving, content.byteCount) = (true, [], [], 0)
            return (content.writer.take(), events)
        }
        // Released outside the lock.
        withExtendedLifetime(events) { writer?.fire() }
    }
}
