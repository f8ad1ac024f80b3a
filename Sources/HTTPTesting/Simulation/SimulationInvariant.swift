/// What must hold in every world of a `Simulation`.
///
/// Each looks at the events of a world that is over. Some always belong to them: every call ends, and so does the code
/// that makes it, without an unexpected error; the server has an answer to every request; and nothing depends on real time or on
/// threads outside of the world.
public struct SimulationInvariant: Sendable {
    /// Its sentence, as it should be: `no write is processed twice`.
    public let name: String
    let check: @Sendable (SimulationRecord) -> Finding?

    /// Where it does not hold.
    struct Finding: Sendable {
        let sentence: String
        /// The index of the event by which it shows.
        let index: Int
        /// Those whose events explain it; nil for all.
        var calls: Set<Int>?
        /// The same for exchanges that belong to no call.
        var exchanges: Set<Int> = []
    }

    /// One of your own.
    ///
    /// - Parameters:
    ///   - name: What should hold, in a few words.
    ///   - check: Returns a sentence about what is wrong with the events of a world; nil if nothing is. It must not depend on
    ///     anything else.
    public static func custom(
        _ name: String, _ check: @escaping @Sendable (_ events: [SimulationEvent]) -> String?
    ) -> SimulationInvariant {
        SimulationInvariant(name: name) { record in
            check(record.events).map { Finding(sentence: $0, index: record.events.count - 1) }
        }
    }

    /// Those that hold for every client: `writesOnce` and `noAttemptAfterTheEnd`.
    public static let standard = [writesOnce, noAttemptAfterTheEnd]
}

/// A world that is over, as invariants see it.
struct SimulationRecord: Sendable {
    let events: [SimulationEvent]
    var ending: WorldScheduler.Ending?
    /// Whether something came from outside of the world.
    var hasForeign = false
    /// What its code threw.
    var thrown: String?
    /// What is wrong with the server's script.
    var problem: String?
}

/// About every client.
extension SimulationInvariant {
    /// No write of a watched call is done twice. A write is a POST or PATCH, known by its method, URL and body; so give each
    /// write of a simulation a body of its own. A server does a request again only if it does not know its Idempotency-Key.
    /// It is done if the answer is 2xx or 303.
    ///
    /// The request for a token (RFC 6749 §4) is no write, unless it has a code for one use, such as an authorization code: it
    /// grants one more token, and whether a refresh token may be used again is for the server to decide.
    public static let writesOnce = noWriteTwice(except: [])

    /// The same, except for requests to these paths, which may be repeated although they are POSTs: `writesOnce(except:
    /// "/search")`. It takes the place of `writesOnce` in `standard`: do not add it to that.
    public static func writesOnce(except paths: String...) -> SimulationInvariant { noWriteTwice(except: paths) }

    private static func noWriteTwice(except paths: [String]) -> SimulationInvariant {
        SimulationInvariant(name: "no write is processed twice") { record in
            var first: [Write: SimulationEvent] = [:]
            for (index, event) in record.events.enumerated()
            where event.kind == .processed && event.call > 0 {
                guard let write = Write(event), let request = event.request else { continue }
                let path = String(request.url.path)
                if paths.contains(where: { path == $0 || path == "/" + $0 }) { continue }
                guard let earlier = first[write] else {
                    first[write] = event
                    continue
                }
                let keys = [earlier, event].map { $0.request?.headers["Idempotency-Key"] }
                let reason =
                    keys[0] == nil || keys[1] == nil ? "without a key" : "under two keys"
                return Finding(
                    sentence: "\(request) was processed twice \(reason)", index: index,
                    calls: [earlier.call, event.call], exchanges: [earlier.exchange, event.exchange])
            }
            return nil
        }
    }

    /// No request is sent for a call at or after its deadline, after its user has cancelled, or after its end.
    public static let noAttemptAfterTheEnd = SimulationInvariant(
        name: "no attempt after the deadline, the cancellation or the end of the call"
    ) { record in
        var (deadlines, starts): ([Int: Duration], [Int: Duration]) = ([:], [:])
        var (ended, cancelled): (Set<Int>, Set<Int>) = ([], [])
        for (index, event) in record.events.enumerated() {
            switch event.kind {
            case .callStarted(let time):
                starts[event.call] = event.time
                deadlines[event.call] = time.map { event.time + $0 }
            case .cancelled: cancelled.insert(event.user)
            case .callEnded: ended.insert(event.call)
            case .sent where event.call > 0:
                let reason: String? =
                    if ended.contains(event.call) {
                        "after the call had ended"
                    } else if cancelled.contains(event.user) {
                        "after its user had cancelled"
                    } else if let deadline = deadlines[event.call], event.time >= deadline,
                        event.time > starts[event.call] ?? .zero
                    {
                        "at the deadline of the call or later"
                    } else { nil }
                guard let reason else { continue }
                return Finding(
                    sentence: "call \(event.call) sent its attempt \(event.attempt) \(reason)", index: index,
                    calls: [event.call])
            case .sent, .processed, .recognized, .answered, .failed, .waiting, .stopped: break
            }
        }
        return nil
    }

    /// The server's script is right: what comes of a wrong one says nothing about the client. Always checked.
    static let everyRequestAnswered = SimulationInvariant(name: "the server has an answer to every request") { record in
        record.problem.map { Finding(sentence: $0, index: record.events.count - 1) }
    }

    /// The code throws the errors of its calls, and those that its user expects. Always checked.
    static let noUnexpectedError = SimulationInvariant(name: "the code throws no unexpected error") { record in
        record.thrown.map { thrown in
            Finding(
                sentence: "the code threw \(thrown): `ignoring` of the Simulation takes errors that are expected",
                index: record.events.count - 1)
        }
    }

    /// Every call ends, and so does the code that makes it. Always checked.
    static let everyCallEnds = SimulationInvariant(name: "every call ends") { record in
        // What a world that has to end does then is of no interest.
        let stop = record.events.lastIndex { $0.kind.isStop }
        let before = record.events[..<(stop ?? record.events.count)]
        let ended = Set(before.compactMap { if case .callEnded = $0.kind { $0.call } else { nil } })
        let open = before.filter { event in
            if case .callStarted = event.kind { !ended.contains(event.call) } else { false }
        }
        guard record.ending != nil || !open.isEmpty else { return nil }
        let wait = open.first.map { call in
            let last = before.last { $0.call == call.call }
            let server = call.request.map { "\($0)" } ?? "the server"
            return "Unfinished is call \(call.call) to \(server), whose last event is: \(last?.sentence ?? "")"
        }
        let what = wait ?? "All calls have ended, but its code still waits for something else"
        let sentence =
            switch record.ending {
            case nil: "the world is over. \(what)"
            case .stuck: "the world stands still. \(what)"
            case .tooManySteps(let count): "the world did not end within \(count) steps. \(what)"
            }
        return Finding(
            sentence: sentence, index: stop ?? record.events.count - 1,
            calls: open.isEmpty ? nil : Set(open.prefix(1).map(\.call)))
    }

    /// Nothing of the world depends on real time or on threads outside of it. Always checked, where it can be seen.
    static let noRealTime = SimulationInvariant(name: "no real time") { record in
        guard record.hasForeign else { return nil }
        return Finding(
            sentence: "code of the world waits for the system's clock or for another thread: Task.sleep, a time of"
                + " ContinuousClock, the main actor, a thread or Task of its own. Use world.sleep, moment.now and world.users",
            index: record.events.count - 1)
    }
}

/// What a request asks the server to do.
private struct Write: Hashable {
    let target: String
    let body: [UInt8]

    /// Nil for a request that may be repeated by its method, and for one that only asks for a token.
    init?(_ event: SimulationEvent) {
        guard let request = event.request, !request.method.isIdempotent else { return nil }
        if Self.asksForToken(event.body) { return nil }
        (target, body) = ("\(request.method) \(request.url.string)", event.body)
    }

    /// Whether it is the form of a token request. A grant of an extension is a URI (RFC 6749 §4.5). For one use are an
    /// authorization code (§4.1.2), a device's (RFC 8628 §3.4) and the id of a request made elsewhere (OpenID CIBA).
    private static func asksForToken(_ body: [UInt8]) -> Bool {
        let form = FormText.items(String(decoding: body, as: UTF8.self))
        if form.contains(where: { $0.name == "device_code" || $0.name == "auth_req_id" }) { return false }
        return form.contains { item in
            guard item.name == "grant_type", let grant = item.value else { return false }
            return ["client_credentials", "password", "refresh_token"].contains(grant) || grant.contains(":")
        }
    }
}

extension SimulationEvent.Kind {
    var isStop: Bool { if case .stopped = self { true } else { false } }
}
