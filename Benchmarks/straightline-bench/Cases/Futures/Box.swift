/// The least that can be called a future: an object with a value and an array of closures. No lock, no atomic, no errors,
/// no cancellation; a chain of them uses up the stack.
final class Box {
    private(set) var value: Int?
    private var callbacks: [(Int) -> Void] = []

    init() {}

    init(_ value: Int) { self.value = value }

    // Not inlined, none of it: else the compiler sees that nothing is left to do later, and does away with the box.

    @inline(never)
    func resolve(_ value: Int) {
        self.value = value
        let callbacks = callbacks
        self.callbacks = []
        for callback in callbacks { callback(value) }
    }

    @inline(never)
    func observe(_ callback: @escaping (Int) -> Void) {
        if let value { callback(value) } else { callbacks.append(callback) }
    }

    @inline(never)
    func map(_ transform: @escaping (Int) -> Int) -> Box {
        if let value { return Box(transform(value)) }
        let mapped = Box()
        callbacks.append { mapped.resolve(transform($0)) }
        return mapped
    }

    @inline(never)
    func flatMap(_ transform: @escaping (Int) -> Box) -> Box {
        let mapped = Box()
        observe { transform($0).observe(mapped.resolve) }
        return mapped
    }

    @inline(never)
    static func all(_ boxes: [Box]) -> Box {
        let all = Box()
        var left = boxes.count
        for box in boxes {
            box.observe { _ in
                left -= 1
                if left == 0 { all.resolve(boxes.compactMap { $0.value }.count) }
            }
        }
        return all
    }
}
