/// 10,000 calls under way at once (5,000 downloads, 5,000 streams), each of which the server answers after 2 s: how long they
/// take in all, and what they take up. Each contender does it in a process of its own, ours too, which is started anew for each round.
struct CallCrowd {
    /// What the list of peers calls it.
    static let id = "crowd"
    static let size = 10_000

    private struct Contender {
        let name: String
        let command: String
        var looks: [Look] = []
    }

    private static let own = "Straightline"
    private static let rival = "AsyncHTTPClient"

    private var contenders: [Contender]

    init(_ server: Server, peers: [Peer]) throws {
        let url = server.url(after: [2_000_000])
        let program = CommandLine.arguments[0]
        let styles = CrowdStyle.allCases.map { style in
            Contender(
                name: "\(Self.own), \(style.rawValue)",
                command: "\(program) crowd --style \(style.rawValue) --url \(url)")
        }
        let others = peers.filter { $0.suite == Self.id }.compactMap { peer in
            peer.command.map { Contender(name: peer.name, command: "\($0) \(url)") }
        }
        contenders = styles + others
    }

    mutating func measure(rounds: Int) throws -> TrialResult {
        for _ in 0..<rounds {
            for index in contenders.indices {
                contenders[index].looks.append(try Look(at: contenders[index].command))
            }
        }
        return TrialResult(
            section: .crowd, name: "10,000 calls of 2 s each at once", spoilt: [],
            quantities: contenders.flatMap(quantities) + comparison)
    }

    private func quantities(_ contender: Contender) -> [Quantity] {
        let isOwn = contender.name.hasPrefix(Self.own)
        let isPlain = isOwn && !contender.name.hasSuffix("policies")
        let isHalf = isOwn && (contender.name.hasSuffix("lines") || contender.name.hasSuffix("downloads"))
        let looks = contender.looks
        return [
            Quantity("\(contender.name): time", looks.map(\.seconds).median, "s"),
            Quantity("\(contender.name): processor time", looks.map(\.cpuSeconds).median, "s"),
            Quantity(
                "\(contender.name): resident memory", looks.map(\.megabytes).max() ?? 0, "MB",
                isPlain ? .atMost(isHalf ? 150 : 200) : nil),
            Quantity(
                "\(contender.name): descriptors", looks.map(\.descriptors).max() ?? 0, "",
                isOwn ? .atMost(11_000) : nil),
            Quantity(
                "\(contender.name): threads", looks.map(\.threads).max() ?? 0, "",
                isOwn ? .atMost(isHalf ? 40 : 8) : nil),
        ]
    }

    /// Awaited here and there, and through policies.
    private var comparison: [Quantity] {
        func looks(_ name: String) -> [Look]? { contenders.first { $0.name == name }?.looks }
        guard let plain = looks("\(Self.own), await"), let decorated = looks("\(Self.own), policies") else { return [] }
        let (time, memory) = (plain.map(\.seconds).median, plain.map(\.megabytes).median)
        let own = [
            Quantity("time through policies beside plain", decorated.map(\.seconds).median / time, " ", .atMost(1.2)),
            Quantity(
                "memory through policies beside plain", decorated.map(\.megabytes).median / memory, " ", .atMost(1.2)),
        ]
        guard let other = looks("\(Self.rival), await") else { return own }
        return own + [
            Quantity("time as a part of that of \(Self.rival)", time / other.map(\.seconds).median, " ", .atMost(0.5))
        ]
    }
}

/// What was seen of a process that made such a crowd of calls.
private struct Look {
    private(set) var descriptors = 0.0
    private(set) var threads = 0.0
    let seconds: Double
    let cpuSeconds: Double
    let megabytes: Double

    init(at command: String) throws {
        let process = try PeerProcess(command)
        let cpu = process.cpuTime
        var (most, mostThreads) = (0, 0)
        let time = try withSlots(1) { slots in
            try process.run(slots) {
                most = max(most, process.descriptors)
                mostThreads = max(mostThreads, process.threads)
            }
            return slots[0]
        }
        descriptors = Double(most)
        threads = Double(mostThreads)
        seconds = Double(time) / 1_000_000_000
        cpuSeconds = Double(process.cpuTime - cpu) / 1_000_000_000
        megabytes = Double(process.peakBytes) / 1_048_576
    }
}
