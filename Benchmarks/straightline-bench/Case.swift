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
    /// How many times the floor's processor time it may take; nil promises nothing.
    private(set) var cpuLimit: Double?
    let allocationLimit: AllocationLimit?
    /// What others take, or what is aimed at.
    private(set) var references: [Reference] = []
    /// What it is to be faster than, in the same run.
    private(set) var rivals: [Rival] = []
    /// Starts the program that does the work; nil if this one does it.
    let startProgram: (@Sendable (Server?) throws -> PeerProcess)?
    /// The same with the library that counts allocations; nil if the program knows nothing of it.
    private(set) var startCounted: (@Sendable (Server?, _ counter: String) throws -> PeerProcess)?
    /// Whether this is another library or language.
    private(set) var isPeer = false
    /// Whether this is no case of ours but the same work in C, beside the floor.
    private(set) var isBare = false
    /// Whether each operation is a command that is run: its memory is not measured.
    private(set) var isCommand = false
    private(set) var prepare: @Sendable (Server?) throws -> Prepared

    /// One that talks to the server.
    init(
        _ name: String, limit: Double? = nil, cpuLimit: Double? = nil, rivals: [Rival] = [],
        prepare: @escaping @Sendable (Server) throws -> Run
    ) {
        self.name = name
        self.limit = limit
        self.cpuLimit = cpuLimit
        self.rivals = rivals
        allocationLimit = nil
        startProgram = nil
        self.prepare = { server in
            guard let server else { throw Failure("\(name) needs a server: --port is missing") }
            return Prepared(run: try prepare(server))
        }
    }

    /// One that is done by a program.
    init(
        program name: String, limit: Double? = nil, cpuLimit: Double? = nil, rivals: [Rival] = [],
        start: @escaping @Sendable (Server?) throws -> PeerProcess,
        startCounted: (@Sendable (Server?, _ counter: String) throws -> PeerProcess)? = nil
    ) {
        self.name = name
        self.limit = limit
        self.cpuLimit = cpuLimit
        self.rivals = rivals
        allocationLimit = nil
        startProgram = start
        self.startCounted = startCounted
        prepare = { server in
            let program = try start(server)
            return Prepared(run: program.run, cpuTime: { program.cpuTime })
        }
    }

    /// One that consists in starting a command that talks to the server.
    init(command name: String, limit: Double?, prepare: @escaping @Sendable (Server) throws -> Run) {
        self.init(name, limit: limit, prepare: prepare)
        let prepare = self.prepare
        isCommand = true
        self.prepare = { Prepared(run: try prepare($0).run, cpuTime: ended_cpu_nanoseconds) }
    }

    private init(
        local name: String, _ limit: Double?, _ allocationLimit: AllocationLimit?,
        _ prepare: @escaping @Sendable () throws -> Run
    ) {
        self.name = name
        self.limit = limit
        self.allocationLimit = allocationLimit
        startProgram = nil
        self.prepare = { _ in Prepared(run: try prepare()) }
    }

    /// One that needs no server.
    static func local(
        _ name: String, limit: Double? = nil, allocations: AllocationLimit? = nil, references: [Reference] = [],
        rivals: [Rival] = [], prepare: @escaping @Sendable () throws -> Run
    ) -> Case {
        var local = Case(local: name, limit, allocations, prepare)
        local.references = references
        local.rivals = rivals
        return local
    }

    var peer: Case {
        var peer = self
        peer.isPeer = true
        return peer
    }

    var bare: Case {
        var bare = self
        bare.isBare = true
        return bare
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

/// A case that is ready to do its work.
struct Prepared {
    let run: Case.Run
    /// The nanoseconds that doing it has spent on a processor so far.
    var cpuTime: () -> UInt64 = cpu_nanoseconds
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
