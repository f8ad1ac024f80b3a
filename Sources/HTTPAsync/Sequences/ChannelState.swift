import HTTPCore

/// What a consumer gets.
enum ChannelItem<Element: Sendable>: Sendable {
    case element(Element)
    case end(Result<Void, HTTPError>)
}

/// Who waits for an element.
enum ChannelConsumer<Element: Sendable>: Sendable {
    case task(UnsafeContinuation<ChannelItem<Element>, Never>)
    case thread(Signal, Locked<ChannelItem<Element>?>)

    func take(_ item: ChannelItem<Element>) {
        switch self {
        case .task(let continuation): continuation.resume(returning: item)
        case .thread(let signal, let place):
            place.withLock { $0 = item }
            signal.fire()
        }
    }
}

/// Who waits for room.
enum ChannelProducer: Sendable {
    case thread(Signal)
    case task(UnsafeContinuation<Void, Never>)

    func wake() {
        switch self {
        case .thread(let signal): signal.fire()
        case .task(let continuation): continuation.resume()
        }
    }
}

/// What a channel holds and who waits at it: decisions only, nobody is woken here.
struct ChannelState<Element: Sendable>: Sendable {
    private let capacity: Int
    private var held = HeldElements<Element>()
    private var ending: Result<Void, HTTPError>?
    /// In the order they came: as a rule one, but a response may be iterated by several tasks.
    private var consumers: [ChannelConsumer<Element>] = []
    private var producer: ChannelProducer?
    /// Whether nobody takes elements any more.
    private var isClosed = false

    init(capacity: Int) { self.capacity = capacity }

    enum Offer: Sendable {
        /// By one who waited for it.
        case taken(ChannelConsumer<Element>)
        case kept
        case refused
        case full
    }

    /// With a `producer`, that is woken when there is room again, once and only where the channel is full.
    mutating func offer(_ element: Element, from producer: ChannelProducer?) -> Offer {
        if isClosed || ending != nil { return .refused }
        if !consumers.isEmpty { return .taken(consumers.removeFirst()) }
        guard held.count >= capacity else {
            held.append(element)
            return .kept
        }
        self.producer = producer
        return .full
    }

    /// Has `producer` woken when there is room; false where there is, or nobody takes elements any more.
    mutating func wait(_ producer: ChannelProducer) -> Bool {
        guard consumers.isEmpty, !isClosed, ending == nil, held.count >= capacity else { return false }
        self.producer = producer
        return true
    }

    /// With the consumers to be told, and what: the first one how it ended, the others that there is no more.
    mutating func finish(_ ending: Result<Void, HTTPError>) -> [(ChannelConsumer<Element>, ChannelItem<Element>)] {
        guard self.ending == nil else { return [] }
        guard !consumers.isEmpty else {
            self.ending = ending
            return []
        }
        self.ending = .success(())
        defer { consumers = [] }
        return consumers.enumerated().map { ($1, .end($0 == 0 ? ending : .success(()))) }
    }

    mutating func close() -> (producer: ChannelProducer?, consumers: [ChannelConsumer<Element>]) {
        isClosed = true
        // One who waits is told now. Else whoever asks next is; a call that had ended well by itself did so, unless what it
        // brought is dropped here.
        if !consumers.isEmpty {
            ending = .success(())
        } else if ending == nil || (held.count > 0 && ending?.isSuccess == true) {
            ending = .failure(.cancelled(nil))
        }
        held = HeldElements()
        defer {
            producer = nil
            consumers = []
        }
        return (producer, consumers)
    }

    /// What there is now, and the producer who has room for it; without an item `consumer` is told later.
    mutating func take(
        for consumer: ChannelConsumer<Element>
    ) -> (item: ChannelItem<Element>?, producer: ChannelProducer?) {
        if let element = held.removeFirst() {
            defer { producer = nil }
            return (.element(element), producer)
        }
        guard let ending else {
            consumers.append(consumer)
            return (nil, nil)
        }
        // A failure is told once; behind it there is nothing.
        self.ending = .success(())
        return (.end(ending), nil)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
