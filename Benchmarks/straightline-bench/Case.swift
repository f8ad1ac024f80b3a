import CurlFloor

/// One way of doing some work again and again: a name and how it is done.
///
/// A case is prepared once for a server, which opens its connections; what comes back does the work.
struct Case: Sendable {
    /// Does the work once for each slot and writes the nanoseconds it took into the slot.
    typealias Run = (_ slots: UnsafeMutableBufferPointer<UInt64>) throws -> Void

    let name: String
    /// How many times the floor's time it may take; nil promises nothing.
    let limit: Double?
    let prepare: @Sendable (Server) throws -> Run

    init(_ name: String, limit: Double? = nil, prepare: @escaping @Sendable (Server) throws -> Run) {
        self.name = name
        self.limit = limit
        self.prepare = prepare
    }

    /// A run that does `operation` for each slot on this thread.
    static func timing(_ operation: @escaping () throws -> Void) -> Run {
        { slots in
            for slot in slots.indices {
                let start = clock_nanoseconds()
                try operation()
                slots[slot] = clock_nanoseconds() - start
            }
        }
    }
}

/// Cases that do the same work, and are measured in turns. Every ratio is to `floor`.
struct Suite: Sendable {
    let name: String
    let floor: Case
    let contenders: [Case]

    var cases: [Case] { [floor] + contenders }

    /// What `make bench` runs.
    static let all: [Suite] = [.sequentialGet]
}
