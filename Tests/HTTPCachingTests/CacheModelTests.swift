import HTTPCaching
import HTTPSupport
import Foundation
import HTTPTesting
import TestSupport
import Testing

import HTTPCore

/// Compares the cache with a simple reference: random requests, directives, clocks and faults, in memory and in two
/// processes that share a directory. `make soak` takes a million steps, `make test` some thousands.
@Suite(.timeLimit(.minutes(30))) struct CacheModelTests {

    @Test(arguments: [true, false])
    func `cache and reference agree on every step`(inMemory: Bool) throws {
        let steps = Soak.isFull ? (inMemory ? 900_000 : 100_000) : (inMemory ? 3000 : 900)
        // With so few steps the seed is fixed: another one may leave out a kind.
        let seed =
            ProcessInfo.processInfo.environment["STRAIGHTLINE_SEED"].flatMap { UInt64($0) }
            ?? (Soak.isFull ? .random(in: 0 ... .max) : 1)
        let rounds = max(1, steps / 300)
        var kinds: [String: Int] = [:]
        for round in 0..<rounds {
            let course = try CacheCourse(seed: seed &+ UInt64(round), inMemory: inMemory)
            for step in 0..<300 {
                if let difference = try course.step() {
                    Issue.record("STRAIGHTLINE_SEED=\(seed &+ UInt64(round)), step \(step): \(difference)")
                    return
                }
            }
            kinds.merge(course.kinds, uniquingKeysWith: +)
        }
        // Every kind of result occurred, and often.
        for kind in ["hit", "validated", "stood in", "stored", "passed", "not cached", "failure"] {
            #expect(kinds[kind, default: 0] > steps / 5000, "\(kind): \(kinds)")
        }
    }
}

/// Numbers that are the same for the same seed.
private struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

private final class CacheCourse {
    /// The server: it gives the answer planned for the step, and knows its own tag.
    private final class Server: ClockedClient {
        struct Answer: Sendable {
            var status = 200
            var headers: HTTPHeaders = [:]
            var body = ""
            var fails = false
        }

        let time = Locked(784_111_777.0)
        let answer = Locked(Answer())
        let requests = Locked<[Request]>([])

        var clock: CallClock {
            CallClock(
                now: { .now }, unixTime: { self.time.withLock { $0 } }, sleep: { CallClock.system.sleep($0, $1, $2) })
        }

        @available(*, noasync)
        func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
            requests.withLock { $0.append(request) }
            let answer = answer.withLock { $0 }
            if answer.fails {
                return .failure(
                    .connection(ConnectionFailure(.refused, mayHaveBeenProcessed: false, record: CallRecord(request))))
            }
            if let tag = answer.headers["ETag"], let asked = request.headers["If-None-Match"], answer.status == 200,
                asked.contains(tag)
            {
                return .success(Response(request: request, status: .notModified, headers: answer.headers))
            }
            let body = request.method == .head ? Data() : Data(answer.body.utf8)
            return .success(
                Response(request: request, status: HTTPStatus(answer.status), headers: answer.headers, body: body))
        }
    }

    private let server = Server()
    private let clients: [any HTTPClient]
    private let scratch: ScratchDirectory?
    private var reference = CacheReference()
    private var numbers: SeededNumbers
    private var count = 0
    /// How often each kind of result occurred.
    private(set) var kinds: [String: Int] = [:]

    init(seed: UInt64, inMemory: Bool) throws {
        numbers = SeededNumbers(state: seed)
        let scratch = inMemory ? nil : try ScratchDirectory()
        self.scratch = scratch
        let server = server
        clients = (0..<(inMemory ? 1 : 2)).map { _ in
            let cache = scratch.map { HTTPCache.directory($0.file("cache")) } ?? HTTPCache.memory(megabytes: 64)
            return server.intercepted(by: .cache(cache))
        }
    }

    private func pick<Value>(_ values: [Value]) -> Value { values[Int(numbers.next() % UInt64(values.count))] }
    private func chance(_ of: UInt64) -> Bool { numbers.next() % of == 0 }

    // MARK: Events

    private func moveClock() {
        let step = pick([0, 0, 1, 1, 2, 5, 9, 10, 11, 30, 61, 4000, -5, -30, -7200].filter { $0 >= 0 || chance(4) })
        count += 1
        server.time.withLock { $0 += Double(step) + 0.001 + Double(count % 97) / 1_000_000 }
    }

    private func makeAnswer() -> Server.Answer {
        var answer = Server.Answer()
        answer.fails = chance(5)
        answer.status = pick([200, 200, 200, 200, 200, 404, 403, 500, 503, 599, 302])
        answer.body = "\(count)"
        func add(_ name: String, _ values: [String?]) {
            if let value = pick(values) { answer.headers.append(value, for: name) }
        }
        add(
            "Cache-Control",
            [
                nil, "max-age=10", "max-age=10", "max-age=60, must-revalidate", "no-store", "no-cache", "max-age=0",
                "public",
                "max-age=x", "max-age=10, stale-while-revalidate=20", "max-age=10, stale-if-error=30",
                "max-age=5, stale-if-error=4000", "max-age=9, stale-if-error=400",
                "max-age=30, immutable", "max-age=5, max-age=50", "private, max-age=10, stale-while-revalidate=5",
            ])
        add("ETag", [nil, "\"1\"", "\"2\"", "\"3\""])
        add("Last-Modified", [nil, nil, "Sun, 06 Nov 1994 08:40:00 GMT", "Sun, 06 Nov 1904 08:40:00 GMT"])
        add("Vary", [nil, nil, "A", "a", "*"])
        add("Age", [nil, nil, "3", "x", "9999"])
        add("Date", [nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 09:49:37 GMT", "x"])
        add("Expires", [nil, nil, "Sun, 06 Nov 1994 08:51:37 GMT", "0"])
        return answer
    }

    private func makeRequest() throws -> Request {
        let method = pick(["GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "POST", "DELETE", "QUERY"])
        var draft = MutableRequest(HTTPMethod(method), pick(["http://h/a", "http://h/b"]))
        let control = pick([
            nil, nil, nil, nil, nil, "no-cache", "no-store", "max-age=0", "max-age=5", "max-stale", "max-stale=20",
            "min-fresh=5", "only-if-cached", "only-if-cached, max-stale=5", "stale-if-error=50",
        ])
        if let control { draft.headers.append(control, for: "Cache-Control") }
        if chance(2) { draft.headers.append("1", for: "A") }
        if chance(4) { draft.headers.append("Bearer x", for: "Authorization") }
        return try Request(draft)
    }

    // MARK: Comparison

    /// The difference between the two; nil for none.
    func step() throws -> String? {
        moveClock()
        let (request, answer) = (try makeRequest(), makeAnswer())
        let process = Int(numbers.next() % UInt64(clients.count))
        server.answer.withLock { [answer] in $0 = answer }
        let expected = expect(request, answer, process: process == 1)
        server.requests.withLock { $0 = [] }
        let outcome = clients[process].executeRequest(request)
        let sent = server.requests.withLock { $0 }.map { $0.headers["If-None-Match"] ?? "-" }
        let found = "\(sent) " + Self.text(outcome)
        kinds[Self.kind(of: outcome), default: 0] += 1
        return found == expected
            ? nil : "\(request.method) \(request.headers.map(\.line)) → \(answer): \(found) ≠ \(expected)"
    }

    private static func kind(of outcome: Result<Response, HTTPError>) -> String {
        switch outcome {
        case .success(let response):
            guard let status = response.cacheStatus else { return "none" }
            if status.isHit { return "hit" }
            if status.isFromStore { return status.forwardStatus == .notModified ? "validated" : "stood in" }
            return status.isStored ? "stored" : "passed"
        case .failure(.other(is NotCached)): return "not cached"
        case .failure: return "failure"
        }
    }

    private static func text(_ outcome: Result<Response, HTTPError>) -> String {
        switch outcome {
        case .success(let response):
            text(
                response.status.rawValue, response.headers.map { ($0.name.lowercased(), $0.value) },
                (try? response.text()) ?? "")
        case .failure(.other(is NotCached)): "not cached"
        case .failure: "failure"
        }
    }

    private static func text(_ status: Int, _ headers: [(name: String, value: String)], _ body: String) -> String {
        "\(status) \(headers.map { "\($0.name): \($0.value)" }.sorted()) \(body)"
    }

    /// The reference's result. It also updates the reference.
    private func expect(_ request: Request, _ answer: Server.Answer, process: Bool) -> String {
        let now = server.time.withLock { $0 }
        let fields = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
        let control = (fields["cache-control"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        let ask = CacheReference.Ask(
            url: request.url.string, method: request.method.rawValue, control: control, fields: fields)
        let headers = answer.headers.map { (name: $0.name.lowercased(), value: $0.value) }
        let plain = Self.text(answer.status, headers, request.method == .head ? "" : answer.body)
        switch reference.plan(ask, now, process: process) {
        case .fail: return "[] not cached"
        case .answer(let place): return "[] " + text(reference.stored[place], request, now, isValidated: false)
        case .pass:
            guard !answer.fails else { return "[\"-\"] failure" }
            if !request.method.isSafe, (200..<400).contains(answer.status) { reference.invalidate(ask.url) }
            return "[\"-\"] " + plain
        case .ask(let places, let standIn):
            let tags = places.compactMap { reference.stored[$0].tag }.joined(separator: ", ")
            let sent = tags.isEmpty ? "-" : tags
            if answer.fails || [500, 503].contains(answer.status) {
                if let standIn {
                    return "[\(sent.debugDescription)] "
                        + text(reference.stored[standIn], request, now, isValidated: false)
                }
                if answer.fails { return "[\(sent.debugDescription)] failure" }
            }
            return "[\(sent.debugDescription)] " + take(answer, headers, plain, sent, places, ask, request, now)
        }
    }

    private func take(
        _ answer: Server.Answer, _ headers: [(name: String, value: String)], _ plain: String, _ sent: String,
        _ places: [Int],
        _ ask: CacheReference.Ask, _ request: Request, _ now: Double
    ) -> String {
        let new = CacheReference.Stored(
            url: ask.url, headers: headers, fields: CacheReference.fields(headers, ask),
            authorization: ask.authorization,
            requested: now, responded: now, status: answer.status, body: answer.body)
        if request.method == .head {
            updateByHead(new, ask)
            return plain
        }
        if answer.status == 200, let tag = answer.headers["ETag"], sent.contains(tag),
            let one = reference.freshen(places, headers, ask, now, now)
        {
            return text(one, request, now, isValidated: true)
        }
        if reference.mayStore(new, ask) {
            reference.put(new)
        } else if (200..<300).contains(answer.status), !places.isEmpty {
            let outdated = places.map { reference.stored[$0].body + "\(reference.stored[$0].responded)" }
            reference.stored.removeAll { outdated.contains($0.body + "\($0.responded)") }
        }
        return plain
    }

    /// §4.3.5.
    private func updateByHead(_ new: CacheReference.Stored, _ ask: CacheReference.Ask) {
        guard new.status == 200 else { return }
        let places = reference.stored.indices.filter { place in
            let one = reference.stored[place]
            return one.url == ask.url && one.authorization == ask.authorization && one.status == 200
                && one.fields.allSatisfy { $0.value == ask.fields[$0.key] ?? "<none>" }
        }
        guard let place = places.max(by: { reference.stored[$0].responded < reference.stored[$1].responded }) else {
            return
        }
        var one = reference.stored[place]
        let isSame =
            (new.tag == nil || one.tag == nil || new.tag == one.tag)
            && (new["last-modified"].isEmpty || one["last-modified"].isEmpty
                || new["last-modified"] == one["last-modified"])
        let names = one.fields.keys
        reference.stored.remove(at: place)
        guard isSame else { return }
        one.headers.removeAll { old in
            ["age", "date"].contains(old.name) || new.headers.contains { $0.name == old.name }
        }
        one.headers += new.headers
        (one.requested, one.responded) = (new.requested, new.responded)
        one.fields = CacheReference.fields(one.headers, ask)
        guard one.fields.keys.allSatisfy({ names.contains($0) }) else { return }
        if !one.vary.contains("*"), !one.says("no-store") { reference.put(one) }
    }

    private func text(
        _ one: CacheReference.Stored, _ request: Request, _ now: Double, isValidated: Bool
    ) -> String {
        var headers = one.headers.filter { $0.name != "age" }
        if !isValidated || !one["age"].isEmpty {
            headers.append(("age", String(Int(max(0, reference.age(one, now) ?? 0)))))
        }
        return Self.text(one.status, headers, request.method == .head ? "" : one.body)
    }
}

extension HTTPHeaders.Field {
    fileprivate var line: String { "\(name): \(value)" }
}
