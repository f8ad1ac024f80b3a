import CurlFloor

/// One way of doing some work again and again: a name and how it is done.
///
/// A case is prepared once, which opens its connections and starts its threads; what comes back does the work.
struct Case: Sendable {
    /// Does the work once for each slot and writes the nanoseconds it took into the slot.
    typealias Run = (_ slots: UnsafeMutableBufferPointer<UInt64>) throws -> Void

    let name: String
    /// How many times the floor's time it may take; nil promises nothing.
    let limit: Double?
    let allocationLimit: AllocationLimit?
    /// What others take, or what is aimed at.
    let references: [Reference]
    let prepare: @Sendable (Server?) throws -> Run

    private init(
        _ name: String, _ limit: Double?, _ allocationLimit: AllocationLimit?, _ references: [Reference],
        _ prepare: @escaping @Sendable (Server?) throws -> Run
    ) {
        self.name = name
        self.limit = limit
        self.allocationLimit = allocationLimit
        self.references = references
        self.prepare = prepare
    }

    /// One that talks to the server.
    init(_ name: String, limit: Double? = nil, prepare: @escaping @Sendable (Server) throws -> Run) {
        self.init(name, limit, nil, []) { server in
            guard let server else { throw Failure("\(name) needs a server: --port is missing") }
            return try prepare(server)
        }
    }

    /// One that needs no server.
    static func local(
        _ name: String, limit: Double? = nil, allocations: AllocationLimit? = nil, references: [Reference] = [],
        prepare: @escaping @Sendable () throws -> Run
    ) -> Case {
        Case(name, limit, allocations, references) { _ in try prepare() }
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

/// A figure to compare with, in the unit of its suite.
struct Reference: Codable, Sendable {
    let name: String
    let value: Double

    init(_ name: String, _ value: Double) {
        self.name = name
        self.value = value
    }
}

/// How many allocations a case may make, in all or beyond those of another case in its suite.
struct AllocationLimit: Sendable {
    let count: Double
    let beyond: String?

    init(_ count: Double, beyond: String? = nil) {
        self.count = count
        self.beyond = beyond
    }
}
