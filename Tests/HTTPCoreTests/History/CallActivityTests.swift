import HTTPCore
import HTTPFoundation
import HTTPTesting
import TestSupport
import Testing

/// The one list of what a call does.
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
        let segment = try #require(try CallHistory.cancelled(in: wait).segments.first)
        #expect(segment.activity == activity)
        #expect(try JSONDecoder().decode(CallSegment.self, from: JSONEncoder().encode(segment)) == segment)
        let outcome = CallAttempt.Outcome.failed(activity, reason: "r")
        #expect(try JSONDecoder().decode(CallAttempt.Outcome.self, from: JSONEncoder().encode(outcome)) == outcome)
    }

    @Test func `an unknown name is kept, and printed without its control characters`() throws {
        let unknown = try JSONDecoder().decode([CallActivity].self, from: Data(#"["a\u001b[2Jb"]"#.utf8))
        #expect(unknown == [.named("a\u{1B}[2Jb")] && "\(unknown[0])" == "a\\u{1B}[2Jb")
        #expect(try JSONDecoder().decode([CallActivity].self, from: JSONEncoder().encode(unknown)) == unknown)
    }

    @Test func `each case has a name of its own, in one word`() {
        let names = Self.all.map(\.name)
        #expect(Set(names).count == names.count && !names.contains { $0.isEmpty || $0.contains(" ") })
    }

    @Test(arguments: all) func `an error names what the call was doing`(activity: CallActivity) throws {
        let record = CallRecord(try Request(.get("https://h.example/")), phase: activity)
        let doing = activity.doing.replacing("the host", with: "h.example")
        #expect("\(HTTPError.cancelled(record))" == "GET https://h.example/ was cancelled while \(doing)")
    }
}
