/// Which waiting call is next: the highest priority first, within it one host after the other, within a host the oldest.
/// A host that has as many running as it may is passed over.
struct CallQueue<Job> {
    typealias Table = CallTable<Job>

    private var table = Table()
    private var hosts: HostTable
    /// How many calls wait.
    private(set) var count = 0

    init(runningPerHost: Int) { hosts = HostTable(runningPerHost: runningPerHost) }

    func job(_ ticket: Ticket) -> Job? { table.place(of: ticket).flatMap { table.entries[$0].job } }

    func stage(_ ticket: Ticket) -> Table.Stage { table.place(of: ticket).map { table.entries[$0].stage } ?? .vacant }

    /// The line of a call that waits or runs.
    func line(of ticket: Ticket) -> Int32? { table.place(of: ticket).map { table.entries[$0].line } }

    /// Adds a call behind those of its host and priority.
    mutating func add(_ job: Job, host: CallHost?, priority: Dispatcher.Priority, isMultiplexed: Bool = false) -> Ticket
    {
        let line = hosts.line(host: host, priority: priority)
        let place = table.insert(job, line: line, isMultiplexed: isMultiplexed)
        hosts.append(place, to: line, in: &table.entries)
        count += 1
        return table.ticket(place)
    }

    /// Adds a call that counts as running until `finish`: it would be the next. Nil where others wait, or it has to.
    mutating func addFirst(_ job: Job, host: CallHost?, priority: Dispatcher.Priority, isMultiplexed: Bool) -> Ticket? {
        guard count == 0 else { return nil }
        let line = hosts.line(host: host, priority: priority)
        guard hosts.take(line) else { return nil }
        let place = table.insert(job, line: line, isMultiplexed: isMultiplexed)
        table.entries[Int(place)].stage = .running
        return table.ticket(place)
    }

    /// Adds a pass; whether it is granted at once. Passes do not wait for calls.
    mutating func addPass(_ job: Job, host: CallHost) -> (ticket: Ticket, isGranted: Bool) {
        let line = hosts.line(host: host, priority: nil)
        let place = table.insert(job, line: line, isMultiplexed: true)
        let isGranted = hosts.take(line)
        if isGranted {
            table.entries[Int(place)].stage = .running
        } else {
            hosts.append(place, to: line, in: &table.entries)
            count += 1
        }
        return (table.ticket(place), isGranted)
    }

    struct Next {
        let job: Job
        let ticket: Ticket
        let isMultiplexed: Bool
        let isPass: Bool
    }

    /// Takes the next call that may run, or only the next pass; it counts as running at its host until `finish`.
    mutating func startNext(onlyPasses: Bool) -> Next? {
        guard count > 0, let place = hosts.takeNext(onlyPasses: onlyPasses, in: &table.entries) else { return nil }
        let entry = table.entries[Int(place)]
        guard let job = entry.job else { return nil }
        table.entries[Int(place)].stage = .running
        count -= 1
        return Next(
            job: job, ticket: table.ticket(place), isMultiplexed: entry.isMultiplexed,
            isPass: HostTable.isForPasses(entry.line))
    }

    /// A running call is over.
    mutating func finish(_ ticket: Ticket) {
        guard let place = table.place(of: ticket) else { return }
        hosts.release(table.entries[place].line)
        table.remove(ticket.place)
    }

    /// A running call has not begun after all: it waits again, behind the others, for a worker.
    mutating func putBack(_ ticket: Ticket) {
        guard let place = table.place(of: ticket) else { return }
        let line = table.entries[place].line
        hosts.release(line)
        table.entries[place].stage = .waiting
        table.entries[place].isMultiplexed = false
        hosts.append(ticket.place, to: line, in: &table.entries)
        count += 1
    }

    /// Takes out a call that waits; nil if it does not.
    mutating func withdraw(_ ticket: Ticket) -> Job? {
        guard let place = table.place(of: ticket), table.entries[place].stage == .waiting else { return nil }
        let job = table.entries[place].job
        hosts.remove(ticket.place, from: table.entries[place].line, in: &table.entries)
        table.remove(ticket.place)
        count -= 1
        return job
    }

    /// Takes out every call that waits.
    mutating func withdrawAll() -> [Job] {
        table.entries.indices.filter { table.entries[$0].stage == .waiting }
            .compactMap { withdraw(table.ticket(Int32($0))) }
    }

    /// Notes that a running call is to end; false if it is not running or this was noted before.
    mutating func cancel(_ ticket: Ticket) -> Bool {
        guard let place = table.place(of: ticket), table.entries[place].stage == .running else { return false }
        table.entries[place].stage = .cancelled
        return true
    }
}
