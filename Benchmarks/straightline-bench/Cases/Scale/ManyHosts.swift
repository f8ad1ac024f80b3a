import CurlFloor
import Straightline

/// One host after the other, with an idle connection to each in the pool. In C each host has a handle of its own, so
/// nothing is looked up there.
enum ManyHosts {
    private static let counts = [1, 10, 100, 1000]
    /// At the most hosts, each comes twenty times.
    private static let window = 20_000
    /// Where each host's memory has to be fetched anew, there is nothing left in the processor's caches of whoever had the turn
    /// before the last. In short turns the larger program would pay for that with each request, which it does not in real life.
    private static let turn = 100

    static func windows(_ server: Server) throws -> [Window] {
        try requireDescriptors()
        var configuration = CurlConfiguration()
        configuration.pool = PoolConfiguration(idleInAll: counts.max() ?? 0)
        let client = try CurlTransport(configuration)
        var requests: [Request] = []
        var loops: [CurlLoopHandle] = []
        return try counts.map { count in
            for host in requests.count..<count {
                requests.append(try Request(.get(server.url(ofHost: host))))
                loops.append(try CurlLoopHandle(server.url(ofHost: host)))
                // Connects.
                try checkHello(client.executeRequest(requests[host]))
                try withSlots(1) { try loops[host].run($0) }
            }
            let (ownTurn, bareTurn) = (Turn(count), Turn(count))
            let own = Case.timing { try checkHello(client.executeRequest(requests[ownTurn.next()])) }
            let bare: Case.Run = { slots in
                for slot in slots.indices {
                    let loop = loops[bareTurn.next()]
                    try loop.run(UnsafeMutableBufferPointer(rebasing: slots[slot...slot]))
                }
            }
            let name = count == 1 ? "1 host" : "\(grouped(count)) hosts"
            return try Window(name, of: window, inTurnsOf: turn, own: own, bare: bare)
        }
    }

    /// A connection takes three, and so does a handle in C.
    private static func requireDescriptors() throws {
        let wanted = 7 * (counts.max() ?? 0)
        let limit = raise_descriptor_limit()
        guard limit >= wanted else {
            throw Failure("so many hosts want \(wanted) descriptors, and \(limit) are allowed: see ulimit -n")
        }
    }
}

/// 0, 1, 2 … and from the start again.
private final class Turn {
    private let count: Int
    private var number = -1

    init(_ count: Int) { self.count = count }

    func next() -> Int {
        number = (number + 1) % count
        return number
    }
}
