import HTTPSupport

/// The item that a consumer gets.
enum ChannelItem<Element: Sendable>: Sendable {
    case element(Element)
    case end(Result<Void, HTTPError>)
}

enum ChannelConsumer<Element: Sendable>: Sendable {
    /// The number identifies the wait.
    case task(UnsafeContinuation<ChannelItem<Element>, Never>, UInt64)
    case thread(Signal, Locked<ChannelItem<Element>?>)
    /// It is only told that there is an item, and takes it afterwards.
    case watcher(@Sendable () -> Void)

    var isWatcher: Bool { if case .watcher = self { true } else { false } }

    func take(_ item: ChannelItem<Element>) {
        switch self {
        case .task(let continuation, _): continuation.resume(returning: item)
        case .thread(let signal, let place):
            place.withLock { $0 = item }
            signal.fire()
        case .watcher(let resume): resume()
        }
    }
}

/// A waiting producer.
enum ChannelProducer: Sendable {
    case thread(Signal)
    case task(UnsafeContinuation<Void, Never>)
    /// An event loop.
    case loop(@Sendable () -> Void)

    func wake() {
        switch self {
        case .thread(let signal): signal.fire()
        case .task(let continuation): continuation.resume()
        case .loop(let resume): resume()
        }
    }
}

/// The elements and waiters of a channel: decisions only; the channel resumes the waiters.
struct ChannelState<Element: Sendable>: Sendable {
    private let capacity: Int
    private var held = Queue<Element>()
    private var ending: Result<Void, HTTPError>?
    /// In order of arrival: usually one, but several tasks may iterate one response.
    private var consumers: [ChannelConsumer<Element>] = []
    private var producer: ChannelProducer?
    /// Whether the consumer has gone.
    private(set) var isClosed = false
    /// Whether it has gone because it wanted no more.
    private(set) var isLeft = false

    init(capacity: Int) { self.capacity = capacity }

    enum Offer: Sendable {
        /// Received by a waiting consumer.
        case taken(ChannelConsumer<Element>)
        case kept
        case refused
        case full
    }

    /// Registers `producer`, if given and if the channel is full, to be resumed once when there is room. An element that
    /// `isKept` is added even then.
    mutating func offer(_ element: Element, from producer: ChannelProducer?, isKept: Bool = false) -> Offer {
        if isClosed || ending != nil { return .refused }
        if !consumers.isEmpty {
            let consumer = consumers.removeFirst()
            if consumer.isWatcher { held.append(element) }
            return .taken(consumer)
        }
        guard held.count >= capacity, !isKept else {
            held.append(element)
            return .kept
        }
        self.producer = producer
        return .full
    }

    /// Registers `producer` to be resumed when there is room; false if there is room or the consumer has gone.
    mutating func wait(_ producer: ChannelProducer) -> Bool {
        guard consumers.isEmpty, !isClosed, ending == nil, held.count >= capacity else { return false }
        self.producer = producer
        return true
    }

    /// The waiting consumers and their items: the first gets the ending, the others the plain end.
    mutating func finish(_ ending: Result<Void, HTTPError>) -> [(ChannelConsumer<Element>, ChannelItem<Element>)] {
        guard self.ending == nil else { return [] }
        self.ending = consumers.allSatisfy(\.isWatcher) ? ending : .success(())
        defer { consumers = [] }
        return consumers.enumerated().map { ($1, .end($0 == 0 ? ending : .success(()))) }
    }

    /// Removes the waiting task, to be resumed; nil if it does not wait.
    mutating func remove(_ wait: UInt64) -> ChannelConsumer<Element>? {
        let index = consumers.firstIndex { if case .task(_, wait) = $0 { true } else { false } }
        return index.map { consumers.remove(at: $0) }
    }

    /// Returns whom to wake, and the held elements, to be released without the lock: their deinitializers may run any code.
    mutating func close(
        isLeft: Bool = false
    ) -> (producer: ChannelProducer?, consumers: [ChannelConsumer<Element>], dropped: Queue<Element>) {
        if !isClosed { self.isLeft = isLeft }
        isClosed = true
        // A waiting consumer is told now; otherwise the next one that asks. A call that ended well has reported so
        // itself, unless its elements are dropped here.
        if !consumers.allSatisfy(\.isWatcher) {
            ending = .success(())
        } else if ending == nil || (!held.isEmpty && ending?.isSuccess == true) {
            ending = .failure(.cancelled(nil))
        }
        defer {
            held = Queue()
            producer = nil
            consumers = []
        }
        return (producer, consumers, held)
    }

    /// Registers `watcher` to be called once when there is an item; false if there is one. Only for a sole consumer.
    mutating func wait(_ watcher: @escaping @Sendable () -> Void) -> Bool {
        guard held.isEmpty, ending == nil else { return false }
        consumers = [.watcher(watcher)]
        return true
    }

    /// The next item, and the producer that has room for it; without an item `consumer` is resumed later.
    mutating func take(
        for consumer: ChannelConsumer<Element>
    ) -> (item: ChannelItem<Element>?, producer: ChannelProducer?) {
        if let element = held.popFirst() {
            // It may have been filled beyond its capacity.
            guard held.count < capacity else { return (.element(element), nil) }
            defer { producer = nil }
            return (.element(element), producer)
        }
        guard let ending else {
            consumers.append(consumer)
            return (nil, nil)
        }
        // A failure is delivered once; after it comes the plain end.
        self.ending = .success(())
        return (.end(ending), nil)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
