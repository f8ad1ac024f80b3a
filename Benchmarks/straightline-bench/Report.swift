#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A run of the benchmark: what `latest.json` holds.
struct Report: Codable {
    struct Table: Codable {
        let section: Section
        let id: String
        let name: String
        /// Of the times.
        let unit: String
        /// Nil where there were as many as the report says.
        var rounds: Int?
        let figures: [Figures]
        let leftOut: [LeftOut]

        var title: String { rounds.map { "\(name), \($0) rounds" } ?? name }
    }

    /// A peer that is not measured.
    struct LeftOut: Codable {
        let name: String
        let reason: String
    }

    /// What the figures depend on: the machine, the versions, the server.
    var about: [String: String]
    let rounds: Int
    let requestsPerRound: Int
    var sections: [Table] = []
    var trials: [TrialResult] = []

    init(about: [String: String], rounds: Int, requestsPerRound: Int) {
        self.about = about
        self.rounds = rounds
        self.requestsPerRound = requestsPerRound
    }

    init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// The one that `--json` names.
    init(_ arguments: Arguments) throws {
        guard let path = arguments.text("json") else { throw Failure("which report? --json is missing") }
        try self.init(contentsOf: path)
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}
