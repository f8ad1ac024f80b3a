#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Another library or language in a suite: a program that does the same work, or why there is none.
struct Peer: Sendable {
    /// The `id` of its suite.
    let suite: String
    /// As the table shows it.
    let name: String
    /// The command and its case; the server's URL is put behind it. Nil if it cannot be measured here.
    let command: String?
    let reason: String?
    /// Whether it allocates by malloc and tells how often, as Benchmarks/Peers/README.md says. Other languages' memory is
    /// their own affair.
    let countsAllocations: Bool

    /// The peers of a list: on each line a suite, a name, a command and `malloc` or `-`, with tabs between them; `-` and a
    /// reason in place of the command tell why it is left out.
    static func list(contentsOf path: String) throws -> [Peer] {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return try text.split(separator: "\n").map(Peer.init)
    }

    private init(line: Substring) throws {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 else { throw Failure("what peer is \(line)?") }
        suite = parts[0]
        name = parts[1]
        let isLeftOut = parts[2].hasPrefix("-")
        command = isLeftOut ? nil : parts[2]
        reason = isLeftOut ? String(parts[2].drop { $0 == "-" || $0 == " " }) : nil
        countsAllocations = parts[3] == "malloc"
        guard suite == CallCrowd.id || Suite.all.contains(where: { $0.id == suite }) else {
            throw Failure("there is no suite \(suite)")
        }
    }
}

extension Suite {
    /// With those of `peers` that belong to it and can be measured.
    func joined(by peers: [Peer]) -> Suite {
        var joined = self
        for peer in peers where peer.suite == id {
            guard let command = peer.command else { continue }
            joined.contenders.append(
                startsPeers
                    ? Case.command(peer.name) { "\(command) \(urlOfPeers($0))" }.peer
                    : .peer(peer.name, command: command, counts: peer.countsAllocations, url: urlOfPeers))
        }
        return joined
    }
}

extension Case {
    /// One that is done by a program, told what to do line by line.
    static func peer(
        _ name: String, command: String, counts: Bool, url: @escaping Server.Choice
    ) -> Case {
        let line: @Sendable (Server?) -> String = { "\(command) \($0.map(url) ?? "")" }
        let startCounted: @Sendable (Server?, String) throws -> PeerProcess = { server, counter in
            try PeerProcess("env 'LD_PRELOAD=\(counter)' \(line(server))")
        }
        return Case(
            program: name, start: { try PeerProcess(line($0)) }, startCounted: counts ? startCounted : nil
        ).peer
    }
}
