/// A queue with constant-time operations at both ends.
struct HeldElements<Element: Sendable>: Sendable {
    /// Taken elements are nil until the storage is compacted, so that nothing is kept alive.
    private var places: [Element?] = []
    private var first = 0

    var count: Int { places.count - first }

    mutating func append(_ element: Element) { places.append(element) }

    mutating func removeFirst() -> Element? {
        guard first < places.count else { return nil }
        let element = places[first]
        places[first] = nil
        first += 1
        // Compacted by halves: each element is moved once.
        if first * 2 >= places.count {
            places.removeFirst(first)
            first = 0
        }
        return element
    }
}
