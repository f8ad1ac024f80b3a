/// First in, first out, both in constant time.
struct Queue<Element: Sendable>: Sendable {
    /// Taken elements are nil until the storage is compacted, so that nothing is kept alive.
    private var places: [Element?] = []
    /// The index of the first element not yet taken.
    private var first = 0

    var count: Int { places.count - first }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { places.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = places[first].take()
        first += 1
        if isEmpty {
            places.removeAll(keepingCapacity: places.capacity < 1024)
            first = 0
        } else if first > 32, first * 2 >= places.count {
            // Compacted here, too, because it may never be empty; by halves, so that each element is moved once.
            places.removeFirst(first)
            first = 0
        }
        return element
    }
}
