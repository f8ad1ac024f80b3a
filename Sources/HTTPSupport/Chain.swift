/// An element that stores the indices of its neighbours in an array.
@usableFromInline package protocol Linked {
    var previous: Int32 { get set }
    var next: Int32 { get set }
}

/// A first-in, first-out list threaded through the elements of an array. Insertion and removal take constant time and
/// allocate nothing. Inlinable, so that the elements are known.
@usableFromInline package struct Chain {
    @inlinable package static var end: Int32 { -1 }

    @usableFromInline package internal(set) var first = Chain.end
    @usableFromInline var last = Chain.end

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { first == Chain.end }

    @inlinable package mutating func append<Element: Linked>(_ index: Int32, in elements: inout [Element]) {
        insert(index, after: last, in: &elements)
    }

    /// At the front if `previous` is `end`.
    @inlinable package mutating func insert<Element: Linked>(
        _ index: Int32, after previous: Int32, in elements: inout [Element]
    ) {
        let next = previous == Chain.end ? first : elements[Int(previous)].next
        (elements[Int(index)].previous, elements[Int(index)].next) = (previous, next)
        if previous == Chain.end { first = index } else { elements[Int(previous)].next = index }
        if next == Chain.end { last = index } else { elements[Int(next)].previous = index }
    }

    @inlinable package mutating func remove<Element: Linked>(_ index: Int32, in elements: inout [Element]) {
        let (previous, next) = (elements[Int(index)].previous, elements[Int(index)].next)
        if previous == Chain.end { first = next } else { elements[Int(previous)].next = next }
        if next == Chain.end { last = previous } else { elements[Int(next)].previous = previous }
    }
}
