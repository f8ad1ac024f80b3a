import HTTPSupport

/// The hosts of calls. Each has a line of waiting calls for every priority; for every priority a ring holds the lines
/// that a call may be taken from. Passes (`HostPass`) come before all others, because a thread waits for each.
struct HostTable {
    private struct Host {
        /// Nil for work that names no host and so has no limit per host.
        var host: CallHost?
        var running = 0
        var waiting = 0
        /// How often a call has ended here, or gone on beyond the limit: whether anything moves.
        var releases: UInt32 = 0
    }

    private struct Line: Linked {
        var calls = Chain()
        /// The last of those that continue, which stand in front of the others; `Chain.end` if there is none.
        var lastContinued = Chain.end
        var previous = Chain.end
        var next = Chain.end
        var isInRing = false
    }

    private struct Found {
        let host: CallHost?
        let place: Int32
    }

    /// Passes, and then the priorities of calls.
    private static var ranks: Int32 { Int32(Dispatcher.Priority.allCases.count) + 1 }
    /// Hosts without calls are kept up to this number, so that a frequent host is not added each time.
    private var room = 256

    private let runningPerHost: Int
    private var hosts: [Host] = []
    private var vacancies: [Int32] = []
    /// One for each host and rank: those of host n begin at n × ranks.
    private var lines: [Line] = []
    private var rings = [Chain](repeating: Chain(), count: Int(ranks))
    private var places: [CallHost?: Int32] = [:]
    /// The index of the last host looked up, which is often looked up again.
    private var found: Found?

    init(runningPerHost: Int) { self.runningPerHost = runningPerHost }

    /// The line for calls to `host` of `priority`; nil is for passes.
    mutating func line(host: CallHost?, priority: Dispatcher.Priority?) -> Int32 {
        place(of: host) * Self.ranks + (priority?.rank ?? 0)
    }

    /// The line of the same host for another priority: the higher that is, the lower the line.
    static func line(_ line: Int32, priority: Dispatcher.Priority) -> Int32 {
        isForPasses(line) ? line : line - line % ranks + priority.rank
    }

    static func isForPasses(_ line: Int32) -> Bool { line % ranks == 0 }

    private mutating func place(of host: CallHost?) -> Int32 {
        if let found, found.host == host { return found.place }
        let place = places[host] ?? enter(host)
        found = Found(host: host, place: place)
        return place
    }

    private mutating func enter(_ host: CallHost?) -> Int32 {
        if places.count >= room { forgetIdleHosts() }
        let place = vacancies.popLast() ?? Int32(hosts.count)
        if place == hosts.count {
            hosts.append(Host())
            lines.append(contentsOf: repeatElement(Line(), count: Int(Self.ranks)))
        }
        hosts[Int(place)].host = host
        places[host] = place
        return place
    }

    /// Adds a call as the last, or one that continues in front of those that have not begun.
    mutating func append<Element: Linked>(_ call: Int32, to line: Int32, continues: Bool, in calls: inout [Element]) {
        if continues {
            lines[Int(line)].calls.insert(call, after: lines[Int(line)].lastContinued, in: &calls)
            lines[Int(line)].lastContinued = call
        } else {
            lines[Int(line)].calls.append(call, in: &calls)
        }
        hosts[host(of: line)].waiting += 1
        update(line)
    }

    mutating func remove<Element: Linked>(_ call: Int32, from line: Int32, in calls: inout [Element]) {
        if lines[Int(line)].lastContinued == call { lines[Int(line)].lastContinued = calls[Int(call)].previous }
        lines[Int(line)].calls.remove(call, in: &calls)
        hosts[host(of: line)].waiting -= 1
        update(line)
    }

    /// Removes the next call, or only the next pass, and counts it as running at its host.
    mutating func takeNext<Element: Linked>(onlyPasses: Bool, in calls: inout [Element]) -> Int32? {
        let ranks = rings.prefix(onlyPasses ? 1 : rings.count)
        guard let ring = ranks.firstIndex(where: { !$0.isEmpty }) else { return nil }
        let line = rings[ring].first
        let call = lines[Int(line)].calls.first
        // Moved to the end of the ring, so that the other hosts come first.
        rings[ring].remove(line, in: &lines)
        lines[Int(line)].isInRing = false
        hosts[host(of: line)].running += 1
        remove(call, from: line, in: &calls)
        if isFull(host(of: line)) { updateAll(of: line) }
        return call
    }

    /// Counts a call as running if it would be the only one in its line; false if it has to wait.
    mutating func take(_ line: Int32) -> Bool {
        guard !isFull(host(of: line)) else { return false }
        hosts[host(of: line)].running += 1
        // Calls that wait for a slot may be ahead of a pass.
        if hosts[host(of: line)].waiting > 0, isFull(host(of: line)) { updateAll(of: line) }
        return true
    }

    /// A call from `line` has ended.
    mutating func release(_ line: Int32) {
        let wasFull = isFull(host(of: line))
        hosts[host(of: line)].running -= 1
        hosts[host(of: line)].releases &+= 1
        if wasFull { updateAll(of: line) }
    }

    /// Counts a call as running beyond the limit.
    mutating func force(_ line: Int32) {
        hosts[host(of: line)].running += 1
        hosts[host(of: line)].releases &+= 1
        updateAll(of: line)
    }

    func releases(ofLine line: Int32) -> UInt32 { hosts[host(of: line)].releases }

    func host(ofLine line: Int32) -> CallHost? { hosts[host(of: line)].host }

    private func host(of line: Int32) -> Int { Int(line / Self.ranks) }

    private func isFull(_ host: Int) -> Bool { hosts[host].host != nil && hosts[host].running >= runningPerHost }

    private mutating func updateAll(of line: Int32) {
        let first = line - line % Self.ranks
        for line in first..<first + Self.ranks { update(line) }
    }

    /// Adds the line to its ring, or removes it.
    private mutating func update(_ line: Int32) {
        let belongs = !lines[Int(line)].calls.isEmpty && !isFull(host(of: line))
        guard belongs != lines[Int(line)].isInRing else { return }
        lines[Int(line)].isInRing = belongs
        let ring = Int(line % Self.ranks)
        if belongs { rings[ring].append(line, in: &lines) } else { rings[ring].remove(line, in: &lines) }
    }

    private mutating func forgetIdleHosts() {
        found = nil
        for (name, place) in places where hosts[Int(place)].running == 0 && hosts[Int(place)].waiting == 0 {
            places[name] = nil
            vacancies.append(place)
        }
        // A scan of all hosts must stay rare, however many are busy.
        room = max(256, 2 * places.count)
    }
}
