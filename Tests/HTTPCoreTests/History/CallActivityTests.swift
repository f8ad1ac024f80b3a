import HTTPCore
import HTTPObservability
import HTTPTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one list of what a call does, and its texts.
@Suite struct CallActivityTests {
    private static let all = CallActivity.allCases + [.named("quota")]

    @Test func `the list has every case`() {
        let places = CallActivity.allCases.map(place)
        #expect(places == Array(0..<places.count) && place(.named("quota")) == places.count)
    }

    /// A new case does not compile here until it has a number, and then has to be in the list.
    private func place(_ activity: CallActivity) -> Int {
        switch activity {
        case .queued: 0
        case .hostLimit: 1
        case .rateLimit: 2
        case .betweenAttempts: 3
        case .authorizing: 4
        case .collapsed: 5
        case .cache: 6
        case .work: 7
        case .starting: 8
        case .resolving: 9
        case .connecting: 10
        case .tunneling: 11
        case .securing: 12
        case .preparing: 13
        case .sending: 14
        case .waiting: 15
        case .receiving: 16
        case .decompressing: 17
        case .finishing: 18
        case .handingOver: 19
        case .decoding: 20
        case .other: 21
        case .named: 22
        }
    }

    @Test(arguments: all) func `each case is its name in JSON, and is read back`(activity: CallActivity) throws {
        let json = try JSONEncoder().encode([activity])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(activity)\"]")
        #expect(try JSONDecoder().decode([CallActivity].self, from: json) == [activity])
        let wait = CallWait(activity, start: .zero, duration: .seconds(1), reason: "r", advice: "a")
        #expect(try JSONDecoder().decode(CallWait.self, from: JSONEncoder().encode(wait)) == wait)
        let segment = try #require(try history(wait).segments.first)
        #expect(segment.kind == activity)
        #expect(try JSONDecoder().decode(CallSegment.self, from: JSONEncoder().encode(segment)) == segment)
        let outcome = CallAttempt.Outcome.failed(activity, reason: "r")
        #expect(try JSONDecoder().decode(CallAttempt.Outcome.self, from: JSONEncoder().encode(outcome)) == outcome)
    }

    @Test func `an unknown name is kept, and printed without its control characters`() throws {
        let unknown = try JSONDecoder().decode([CallActivity].self, from: Data(#"["a\u001b[2Jb"]"#.utf8))
        #expect(unknown == [.named("a\u{1B}[2Jb")] && "\(unknown[0])" == "a\\u{1B}[2Jb")
        #expect(try JSONDecoder().decode([CallActivity].self, from: JSONEncoder().encode(unknown)) == unknown)
    }

    @Test(arguments: all) func `each case has a name, a label, words and an advice`(activity: CallActivity) {
        let texts = activity.texts(of: .init(host: "h.example", firstPeer: "h.example"))
        #expect(!texts.name.isEmpty && !texts.name.contains(" "))
        #expect(!texts.label.isEmpty && texts.label.count < 16)
        #expect(!texts.doing.isEmpty && !texts.spent.isEmpty)
        #expect(texts.advice.hasSuffix("."))
    }

    @Test func `names and labels differ`() {
        #expect(Set(Self.all.map(\.name)).count == Self.all.count)
        #expect(Set(Self.all.map { $0.texts().label }).count == Self.all.count)
    }

    @Test(arguments: all) func `a call that waited for it says so, and what helps`(activity: CallActivity) throws {
        let plain = try history(CallWait(activity, start: .zero, duration: .seconds(9))).summary
        let texts = activity.texts()
        if activity != .betweenAttempts { #expect(plain.hasSuffix("\(texts.spent). \(texts.advice)")) }
        #expect(plain.hasPrefix("100 % of 9 s was spent "))
    }

    @Test func `a wait may bring its own reason and advice`() throws {
        let wait = CallWait(
            .named("quota"), start: .zero, duration: .seconds(9), reason: "3 left\u{1B}", advice: "raise the quota")
        #expect(
            try history(wait).summary
                == "100 % of 9 s was spent waiting for quota (3 left\\u{1B}). Raise the quota.")
    }

    private func history(_ wait: CallWait) throws -> CallHistory {
        var record = CallRecord(try Request(.get("https://h.example/")), phase: .queued)
        record.metrics.attempts = 0
        record.metrics.insert(wait)
        let error = HTTPError.cancelled(record)
        return try #require(error.history)
    }

    @Test(arguments: all) func `an error names what the call was doing`(activity: CallActivity) throws {
        let record = CallRecord(try Request(.get("https://h.example/")), phase: activity)
        let doing = activity.texts(of: .init(host: "h.example", firstPeer: "h.example")).doing
        #expect("\(HTTPError.cancelled(record))" == "GET https://h.example/ was cancelled while \(doing)")
    }
}
