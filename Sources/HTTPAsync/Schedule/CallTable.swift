import HTTPSupport

/// Identifies a call of a schedule. Table entries are reused, tickets never.
struct Ticket: Hashable, Sendable {
    let place: Int32
    let generation: UInt32

    init(place: Int32, generation: UInt32) {
        self.place = place
        self.generation = generation
    }

    /// The ticket as one word. Words below 2^32, whose generation would be 0, are none.
    var word: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: place)) }

    init?(word: UInt64) {
        let generation = UInt32(truncatingIfNeeded: word >> 32)
        guard generation != 0 else { return nil }
        self.init(place: Int32(truncatingIfNeeded: word), generation: generation)
    }
}

/// The waiting and running calls, one entry each.
struct CallTable<Job> {
    enum Stage: UInt8 { case vacant, waiting, running, cancelled }

    /// Where a running call counts: while its thread waits nowhere, and after that in the total alone, since it has a
    /// pass for its host.
    enum Count: UInt8 { case everywhere, inTotal, nowhere }

    struct Entry: Linked {
        var job: Job?
        var previous = Chain.end
        var next = Chain.end
        /// Starts at 1, so that no ticket is 0.
        var generation: UInt32 = 1
        /// The line of the queue it waits in.
        var line: Int32 = 0
        var stage = Stage.vacant
        var count = Count.everywhere
        /// Whether it needs no worker.
        var isMultiplexed = false
        /// Whether it is a later exchange of a call that has begun.
        var continues = false
    }

    var entries: [Entry] = []
    private var vacancies: [Int32] = []

    /// The index of its entry; nil when the call has ended. An index, because the entry would be a copy.
    func place(of ticket: Ticket) -> Int? {
        let place = Int(ticket.place)
        guard place < entries.count, entries[place].generation == ticket.generation else { return nil }
        return entries[place].stage == .vacant ? nil : place
    }

    func ticket(_ place: Int32) -> Ticket { Ticket(place: place, generation: entries[Int(place)].generation) }

    mutating func insert(
        _ job: Job, line: Int32, stage: Stage, isMultiplexed: Bool, continues: Bool = false
    ) -> Ticket {
        let place = vacancies.popLast() ?? Int32(entries.count)
        if place == entries.count { entries.append(Entry()) }
        entries[Int(place)].job = job
        entries[Int(place)].line = line
        entries[Int(place)].stage = stage
        entries[Int(place)].count = .everywhere
        entries[Int(place)].isMultiplexed = isMultiplexed
        entries[Int(place)].continues = continues
        return ticket(place)
    }

    mutating func remove(_ place: Int32) {
        entries[Int(place)].job = nil
        entries[Int(place)].stage = .vacant
        entries[Int(place)].generation = max(1, entries[Int(place)].generation &+ 1)
        vacancies.append(place)
    }
}
