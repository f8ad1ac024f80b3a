/// A queue whose ends cost the same, however many it holds.
struct HeldElements<Element: Sendable>: Sendable {
    /// What was taken is nil until the room is cleared, so that nothing is kept alive.
    private var places: [Element?] = []
    private var first = 0

    var count: Int { places.count - first }

    mutating func append(_ element: Element) { places.append(element) }

    mutating func removeFirst() -> Element? {
        guard first < places.count else { return nil }
        let element = places[first]
        places[first] = nil
        first += 1
        // Half of it at a time: each element is moved once.
        if first * 2 >= places.count {
            places.removeFirst(first)
            first = 0
        }
        return element
    }
}
