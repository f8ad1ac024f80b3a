/// What can be measured by itself: `make bench ONLY=futures`.
enum Section: String, CaseIterable, Codable {
    /// A few callers of a server that takes its time, beside plain C on threads. Many callers have all processors.
    case delays
    /// Requests one after the other, against a server and beside plain C.
    case sequential
    /// One after the other once more, with the server on the client's processor.
    case lockstep
    /// Many requests at once, and one after the other without blocking, against a server and beside plain C.
    case concurrent
    /// The same over TLS, with HTTP/1.1 and HTTP/2.
    case secure
    /// Large bodies, against a server and beside plain C.
    case bodies
    /// Very many requests at once, which the server answers late.
    case crowd
    /// What a request costs after very many others, and with connections to very many hosts, beside plain C and with the
    /// server on the same processor.
    case scale
    /// A program that starts, makes one request and ends.
    case start
    /// What it costs to make a request before it is sent.
    case building
    /// What it costs to make blocking calls without blocking.
    case adapters
    case futures
    /// What a cache costs and saves.
    case cache
    /// What many calls at once do to the machine. Theirs are all processors.
    case trials
}

/// Cases that do the same work, and are measured in turns. Every ratio is to `floor`.
struct Suite: Sendable {
    private(set) var section: Section
    /// What the lists of peers call it.
    let id: String
    private(set) var name: String
    let unit: Unit
    let floor: Case
    var contenders: [Case]
    /// What peers are told to talk to.
    var urlOfPeers: Server.Choice = Server.plain
    /// How many times as many rounds are measured as were asked for: where limits are nearer than 20 rounds can tell. A
    /// machine that others use, too, makes one round slower than the next by a half, and the median of 20 ratios is off by
    /// 0.02 to 0.09 then.
    var repetitions = 1
    /// After how many rounds the programs of all cases are started anew; nil for never. What chance gave a process, such as
    /// the addresses of its memory, it keeps for life: two of the same program differ by up to 7 %.
    var roundsPerProcess: Int?
    /// Whether it is told what a case takes in memory.
    var tellsMemory = true
    /// Whether peers are started anew for each operation, and end after it.
    var startsPeers = false

    var cases: [Case] { [floor] + contenders }

    static let all: [Suite] = [
        delays, [.delayedBatch],
        [.sequentialGet, .receivedHeaders, .sentHeaders, .sentToken, .explainedGet, .awaitedGet], concurrentGets,
        [Suite.sequentialGet, .awaitedGet, .http2Get].map(\.inLockstep),
        [.coldHandshake, .resumedHandshake, .secureGet, .http2Get, .concurrentSecureGet],
        smallBodies, smallUploads, [.decodedRecords], bodies, starts,
        [.fiveSteps, .policies, .submitAwait, .submitWait], futures,
    ].flatMap { $0 }

    /// The same, where client and server share a processor: neither runs while the other does, and neither has to be woken
    /// from another processor's sleep, which takes longer than the work and is the same whoever waits.
    private var inLockstep: Suite {
        var suite = self
        suite.section = .lockstep
        suite.repetitions = 1
        suite.name += ", on one processor"
        return suite
    }

    static func of(_ section: Section) -> [Suite] { all.filter { $0.section == section } }
}

/// What the figures of a suite are in, and how much is measured at once.
struct Unit: Sendable {
    let symbol: String
    private let nanoseconds: Double
    /// How many steps a slot's time is for. What takes less than a clock is measured by the thousand.
    let stepsPerSlot: Int
    /// How many of the least requests take the time of one of these.
    private let share: Double

    static let microseconds = Unit(symbol: "µs", nanoseconds: 1000, stepsPerSlot: 1, share: 1)
    /// Of what takes so many times the time of the least request.
    static func microseconds(share: Double) -> Unit {
        Unit(symbol: "µs", nanoseconds: 1000, stepsPerSlot: 1, share: share)
    }
    /// Of what is done by the hundreds at once, of which a round is to hold a few turns.
    static let microsecondsOfMany = Unit(symbol: "µs", nanoseconds: 1000, stepsPerSlot: 1, share: 0.5)
    /// Of what takes longer than the least request.
    static let microsecondsOfSome = Unit(symbol: "µs", nanoseconds: 1000, stepsPerSlot: 1, share: 10)
    /// Of what takes longer than ten of the least requests.
    static let microsecondsOfFew = Unit(symbol: "µs", nanoseconds: 1000, stepsPerSlot: 1, share: 50)
    /// Nanoseconds a step, of runs of a thousand.
    static let nanosecondsOfThousand = Unit(symbol: "ns", nanoseconds: 1, stepsPerSlot: 1000, share: 40)

    /// Of what takes so long that a round is a few.
    static let milliseconds = Unit(symbol: "ms", nanoseconds: 1_000_000, stepsPerSlot: 1, share: 1000)

    /// The slots of a round in which `requests` requests would be made.
    func slots(of requests: Int) -> Int { max(Int(Double(requests) / share), 1) }

    /// The time of one step.
    func step(_ slot: UInt64) -> Double { Double(slot) / nanoseconds / Double(stepsPerSlot) }
}
