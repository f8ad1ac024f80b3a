/// The waiting calls in order: the highest priority first, within it the hosts in turn, within a host those
/// that continue, and then the oldest. A host at its limit is skipped.
struct CallQueue<Job> {
    typealias Table = CallTable<Job>

    private var table = Table()
    private var hosts: HostTable
    /// The number of waiting calls.
    private(set) var count = 0
    /// Those of them that need no worker.
    private var multiplexedCount = 0

    /// A call to make, which counts as running at its host until `finish`.
    struct Run {
        let job: Job
        let ticket: Ticket
        /// Whether it waited: then its deadline has moved nearer.
        var hasWaited: Bool
        /// Whether a thread that makes many makes it, so that it needs no worker.
        let isMultiplexed: Bool
        /// Whether it is a pass, for a thread that already has a slot.
        let isPass: Bool
    }

    init(runningPerHost: Int) { hosts = HostTable(runningPerHost: runningPerHost) }

    func job(_ ticket: Ticket) -> Job? { table.place(of: ticket).flatMap { table.entries[$0].job } }

    func stage(_ ticket: Ticket) -> Table.Stage { table.place(of: ticket).map { table.entries[$0].stage } ?? .vacant }

    /// The line of a waiting or running call.
    func line(of ticket: Ticket) -> Int32? { table.place(of: ticket).map { table.entries[$0].line } }

    /// The number of waiting calls of a priority. It looks at all of them.
    func count(of priority: Dispatcher.Priority) -> Int {
        table.entries.count { $0.stage == .waiting && $0.line == HostTable.line($0.line, priority: priority) }
    }

    /// Adds a call after those of its host and priority, or one that continues before those that have not begun.
    mutating func add(
        _ job: Job, host: CallHost?, priority: Dispatcher.Priority, isMultiplexed: Bool, continues: Bool
    ) -> Ticket {
        let line = hosts.line(host: host, priority: priority)
        let ticket = table.insert(
            job, line: line, stage: .waiting, isMultiplexed: isMultiplexed, continues: continues)
        append(ticket, to: line)
        return ticket
    }

    /// Adds a call that runs at once, if it would be next. Nil if others wait, or it must wait.
    mutating func addFirst(_ job: Job, host: CallHost?, priority: Dispatcher.Priority, isMultiplexed: Bool) -> Run? {
        guard count == 0 else { return nil }
        let line = hosts.line(host: host, priority: priority)
        guard hosts.take(line) else { return nil }
        let ticket = table.insert(job, line: line, stage: .running, isMultiplexed: isMultiplexed)
        return Run(job: job, ticket: ticket, hasWaited: false, isMultiplexed: isMultiplexed, isPass: false)
    }

    /// Adds a pass; returns whether it is granted at once. If not, it is granted later, as a run. Passes do not wait for
    /// calls.
    mutating func addPass(_ job: Job, host: CallHost) -> (ticket: Ticket, isGranted: Bool) {
        let line = hosts.line(host: host, priority: nil)
        let isGranted = hosts.take(line)
        let ticket = table.insert(job, line: line, stage: isGranted ? .running : .waiting, isMultiplexed: true)
        if !isGranted { append(ticket, to: line) }
        return (ticket, isGranted)
    }

    private mutating func append(_ ticket: Ticket, to line: Int32) {
        let continues = table.entries[Int(ticket.place)].continues
        hosts.append(ticket.place, to: line, continues: continues, in: &table.entries)
        note(ticket.place, change: 1)
    }

    private mutating func remove(_ ticket: Ticket, from line: Int32) {
        hosts.remove(ticket.place, from: line, in: &table.entries)
        note(ticket.place, change: -1)
    }

    private mutating func note(_ place: Int32, change: Int) {
        count += change
        if table.entries[Int(place)].isMultiplexed { multiplexedCount += change }
    }

    /// Takes the next call that may run, or only the next pass.
    mutating func startNext(onlyPasses: Bool) -> Run? {
        guard count > 0, let place = hosts.takeNext(onlyPasses: onlyPasses, in: &table.entries) else { return nil }
        let entry = table.entries[Int(place)]
        guard let job = entry.job else { return nil }
        table.entries[Int(place)].stage = .running
        note(place, change: -1)
        return Run(
            job: job, ticket: table.ticket(place), hasWaited: true, isMultiplexed: entry.isMultiplexed,
            isPass: HostTable.isForPasses(entry.line))
    }

    /// Takes a call that needs no worker and whose host has room, whatever waits before it. It looks at all calls.
    mutating func startMultiplexed() -> Run? {
        guard multiplexedCount > 0 else { return nil }
        for place in table.entries.indices
        where table.entries[place].stage == .waiting && table.entries[place].isMultiplexed {
            let line = table.entries[place].line
            guard !HostTable.isForPasses(line), let job = table.entries[place].job, hosts.take(line) else { continue }
            let ticket = table.ticket(Int32(place))
            remove(ticket, from: line)
            table.entries[place].stage = .running
            return Run(job: job, ticket: ticket, hasWaited: true, isMultiplexed: true, isPass: false)
        }
        return nil
    }

    /// A running call has ended. Returns whether it counted in the total.
    @discardableResult
    mutating func finish(_ ticket: Ticket) -> Bool {
        guard let place = table.place(of: ticket) else { return false }
        let count = table.entries[place].count
        if count == .everywhere { hosts.release(table.entries[place].line) }
        table.remove(ticket.place)
        return count != .nowhere
    }

    func host(of ticket: Ticket) -> CallHost? { line(of: ticket).flatMap { hosts.host(ofLine: $0) } }

    /// A running call counts nowhere until `resume`; false if it does not already. Returns the host where it counted.
    mutating func pause(_ ticket: Ticket) -> (wasCounted: Bool, host: CallHost?) {
        guard let place = table.place(of: ticket) else { return (false, nil) }
        let (count, line) = (table.entries[place].count, table.entries[place].line)
        table.entries[place].count = .nowhere
        guard count == .everywhere else { return (count == .inTotal, nil) }
        let host = hosts.host(ofLine: line)
        hosts.release(line)
        return (true, host)
    }

    /// A paused call counts again, in the total; false if it was not paused.
    mutating func resume(_ ticket: Ticket) -> Bool {
        guard let place = table.place(of: ticket), table.entries[place].count == .nowhere else { return false }
        table.entries[place].count = .inTotal
        return true
    }

    /// How many calls have ended at the host of this one.
    func releases(besides ticket: Ticket) -> UInt32 { line(of: ticket).map { hosts.releases(ofLine: $0) } ?? 0 }

    /// Grants a waiting pass beyond its host's limit, unless a call has ended there meanwhile. Returns whether it is
    /// granted, perhaps before.
    mutating func force(_ pass: Ticket, unlessReleasedSince releases: UInt32) -> Bool {
        guard let place = table.place(of: pass), table.entries[place].stage == .waiting else { return true }
        let line = table.entries[place].line
        guard hosts.releases(ofLine: line) == releases else { return false }
        remove(pass, from: line)
        hosts.force(line)
        table.entries[place].stage = .running
        return true
    }

    /// A running call could not begin: it waits again, after the others, for a worker.
    mutating func putBack(_ ticket: Ticket) {
        guard let place = table.place(of: ticket) else { return }
        let line = table.entries[place].line
        hosts.release(line)
        table.entries[place].stage = .waiting
        table.entries[place].isMultiplexed = false
        append(ticket, to: line)
    }

    /// Removes a waiting call; nil if it is not waiting.
    mutating func withdraw(_ ticket: Ticket) -> Job? {
        guard let place = table.place(of: ticket), table.entries[place].stage == .waiting else { return nil }
        let job = table.entries[place].job
        remove(ticket, from: table.entries[place].line)
        table.remove(ticket.place)
        return job
    }

    /// Gives a waiting call a higher priority, as if it were added with that; a lower one has no effect.
    mutating func raise(_ ticket: Ticket, to priority: Dispatcher.Priority) {
        guard let place = table.place(of: ticket), table.entries[place].stage == .waiting else { return }
        let line = table.entries[place].line
        let higher = HostTable.line(line, priority: priority)
        guard higher < line else { return }
        remove(ticket, from: line)
        table.entries[place].line = higher
        append(ticket, to: higher)
    }

    /// Removes all waiting calls, or only those that need a worker.
    mutating func withdrawAll(withoutMultiplexed isPartial: Bool) -> [Job] {
        table.entries.indices
            .filter { table.entries[$0].stage == .waiting && !(isPartial && table.entries[$0].isMultiplexed) }
            .compactMap { withdraw(table.ticket(Int32($0))) }
    }

    /// Marks a running call as ending; false if it is not running or was marked before.
    mutating func cancel(_ ticket: Ticket) -> Bool {
        guard let place = table.place(of: ticket), table.entries[place].stage == .running else { return false }
        table.entries[place].stage = .cancelled
        return true
    }
}

extension CallQueue.Run: Sendable where Job: Sendable {}
