import HTTPCore
import Testing

@testable import HTTPAsync

/// More hosts than are kept: idle ones are removed, and their entries do not get mixed up.
@Suite struct HostTableTests {
    private func host(_ number: Int) -> String { "host\(number).test" }

    /// One call to each of that many hosts, each over before the next begins.
    private func visit(_ hosts: Range<Int>, _ schedule: inout TestSchedule) throws {
        for number in hosts {
            let admission = schedule.submit("at \(number)", host: CallHost(host(number)))
            _ = schedule.release(try #require(admission.ticket))
        }
    }

    @Test func `a host with running calls stays full when hundreds of others are removed`() throws {
        var schedule = TestSchedule(running: 10, runningPerHost: 1)
        let first = schedule.submit("first", host: CallHost("busy.test"))
        let ticket = try #require(first.ticket)
        try visit(0..<600, &schedule)
        #expect(schedule.submit("second", host: CallHost("busy.test")).start == nil)
        #expect(schedule.release(ticket)?.text.hasSuffix("makes second") == true)
    }

    @Test func `a host with waiting calls is not removed`() throws {
        var schedule = TestSchedule(running: 10, runningPerHost: 1)
        let running = try #require(schedule.submit("running", host: CallHost("busy.test")).ticket)
        let waiting = try #require(schedule.submit("waiting", host: CallHost("busy.test")).ticket)
        try visit(0..<300, &schedule)
        #expect(schedule.release(running)?.text.hasSuffix("makes waiting") == true)
        try visit(300..<600, &schedule)
        #expect(schedule.submit("next", host: CallHost("busy.test")).start == nil)
        #expect(schedule.release(waiting)?.text.hasSuffix("makes next") == true)
    }

    @Test func `hosts whose calls all wait keep their entries when idle ones are removed`() throws {
        var schedule = TestSchedule(running: 1, runningPerHost: 1, queued: 10_000)
        let first = try #require(schedule.submit("first", host: CallHost("first.test")).ticket)
        let names = (0..<600).map { "call \($0)" }
        for (number, name) in names.enumerated() {
            #expect(schedule.submit(name, host: CallHost(host(number))).start == nil)
        }
        // One host after the other, each with its own call.
        #expect(schedule.drain(from: first) == names)
    }

    @Test func `the host that was looked up last is not found at the place of a removed one`() throws {
        var schedule = TestSchedule(running: 10, runningPerHost: 1)
        // The 256th is looked up last, and is removed with the others by the next one.
        try visit(0..<256, &schedule)
        _ = schedule.submit("a", host: CallHost(host(1000)))
        let other = schedule.submit("b", host: CallHost(host(255)))
        #expect(other.start?.text.hasSuffix("makes b") == true)
        #expect(schedule.submit("c", host: CallHost(host(1000))).start == nil)
        #expect(schedule.submit("d", host: CallHost(host(255))).start == nil)
    }

    @Test func `no removed host has the place of a new one`() throws {
        var schedule = TestSchedule(running: 1000, runningPerHost: 1)
        try visit(0..<256, &schedule)
        #expect(schedule.submit("new", host: CallHost(host(1000))).start != nil)
        for number in 0..<256 {
            #expect(schedule.submit("again", host: CallHost(host(number))).start != nil, "\(number)")
        }
    }

    @Test func `the table does not grow with idle hosts`() {
        var table = HostTable(runningPerHost: 1)
        var highest: Int32 = 0
        for number in 0..<5000 {
            highest = max(highest, table.line(host: CallHost(host(number)), priority: .normal))
        }
        #expect(highest < 256 * Int32(Dispatcher.Priority.allCases.count + 1))
    }

    @Test func `it grows with busy hosts, and then searches for idle ones less often`() {
        var table = HostTable(runningPerHost: 1)
        var lines: Set<Int32> = []
        for number in 0..<2000 {
            let line = table.line(host: CallHost(host(number)), priority: .normal)
            #expect(table.take(line) == true)
            lines.insert(line)
        }
        #expect(lines.count == 2000)
        for number in 0..<2000 {
            let line = table.line(host: CallHost(host(number)), priority: .normal)
            #expect(lines.contains(line))
            #expect(table.take(line) == false)
        }
    }
}

@Suite struct CallHostTests {
    @Test(arguments: [
        Origin(scheme: .http, host: "a.example"), Origin(scheme: .https, host: "a.example"),
        Origin(scheme: .http, host: "A.example", port: 443), Origin(scheme: .https, host: "a.example", port: 80),
        Origin(scheme: .http, host: "127.0.0.1", port: 8080), Origin(scheme: .https, host: "[::1]"),
        Origin(scheme: .https, host: "[2001:DB8::8]", port: 8443),
    ])
    func `an origin is the host named by its authority`(_ origin: Origin) {
        #expect(CallHost(origin) == CallHost(origin.authority))
        #expect(CallHost(origin) == CallHost(origin.authority.uppercased()))
        #expect(CallHost(origin) != CallHost(origin.authority + "0"))
    }

    @Test func `two origins are one host if their authorities are the same`() {
        let origins = [80, 443, 8080].flatMap { port in
            [Origin(scheme: .http, host: "a", port: port), Origin(scheme: .https, host: "a", port: port)]
        }
        for one in origins {
            for other in origins {
                #expect((CallHost(one) == CallHost(other)) == (one.authority == other.authority), "\(one) and \(other)")
            }
        }
    }

    @Test func `different texts are different hosts`() {
        let texts = [
            "a", "a:", "a:8", "a:08", "a:+8", "a:-8", "a:8:8", ":8", "", "8", "[::8]", "[::8]:8", "::8", "a:8 ", "a:x",
            "a:99999999999999999999",
        ]
        #expect(Set(texts.map { CallHost($0) }).count == texts.count)
    }
}
