import HTTPCore

/// The outcomes of calls that must not arrive, counted by what stopped them.
struct DestinationTally {
    enum Ending: String, CaseIterable {
        case byPolicy = "by policy"
        /// Before anything was resolved.
        case invalidURL = "invalid URL"
        case badLocation = "bad Location"
        /// By libcurl, when it was given the URL.
        case badForEngine = "not for libcurl"
        case badAnswer = "bad answer"
        case noAddress = "no address"
    }

    private(set) var counts: [Ending: Int] = [:]
    /// The unexpected outcomes.
    private(set) var wrong: [String] = []

    mutating func take(_ result: Result<Response, HTTPError>, of destination: ForbiddenDestination) {
        switch result {
        case .failure(.destinationRefused(let failure)) where failure.record.metrics.localPort == nil:
            counts[.byPolicy, default: 0] += 1
        case .failure(.unsupported): counts[.badForEngine, default: 0] += 1
        case .failure(.invalidRequest): counts[.invalidURL, default: 0] += 1
        case .failure(.redirect(let failure)):
            switch failure.reason {
            case .badLocation: counts[.badLocation, default: 0] += 1
            default: wrong.append("\(destination): \(failure)")
            }
        // A Location with a line break is not one.
        case .failure(.protocolViolation): counts[.badAnswer, default: 0] += 1
        case .failure(.resolution): counts[.noAddress, default: 0] += 1
        case .success(let response): wrong.append("\(destination): \(response)")
        case .failure(let error): wrong.append("\(destination): \(error)")
        }
    }

    var total: Int { counts.values.reduce(0, +) }

    func line(_ way: String, accepted: Int) -> String {
        let columns = Ending.allCases.map { "\(counts[$0] ?? 0)" }
        return "| " + ([way, "\(total)"] + columns + ["\(accepted)"]).joined(separator: " | ") + " |"
    }

    static let head =
        "| "
        + (["way", "calls"] + Ending.allCases.map(\.rawValue) + ["accepted"]).joined(separator: " | ")
        + " |\n|---|---|" + Ending.allCases.map { _ in "---|" }.joined() + "---|"
}
