/// A binary heap: the least element is first.
struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    init() {}

    var first: Element? { elements.first }
    var count: Int { elements.count }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Does nothing if there is none.
    mutating func removeFirst() {
        guard let last = elements.popLast(), !elements.isEmpty else { return }
        elements[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            if least == parent { return }
            elements.swapAt(parent, least)
            parent = least
        }
    }

    /// Keeps the elements that satisfy `isKept`.
    mutating func filter(_ isKept: (Element) -> Bool) {
        // A sorted array is a heap.
        elements = elements.filter(isKept).sorted()
    }
}
