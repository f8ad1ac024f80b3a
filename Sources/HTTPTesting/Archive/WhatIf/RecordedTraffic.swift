import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The calls of an archive and their outcomes.
struct RecordedTraffic {
    /// Requests for the same place get similar answers.
    struct Key: Hashable, Sendable {
        let method: HTTPMethod
        let origin: Origin
        let path: String

        init(_ request: Request) {
            (method, origin, path) = (request.method, request.url.origin, String(request.url.path))
        }
    }

    /// An exchange, with the redirects before it.
    struct Exchange: Sendable {
        var latencies: [StubLatency]
        let response: HTTPArchive.Response

        var duration: Duration { latencies.reduce(.zero) { $0 + $1.duration } }
    }

    struct Call: Sendable {
        let draft: MutableRequest
        let key: Key
        /// Relative to the start of the first call.
        let start: Duration
        let first: Exchange
    }

    private(set) var calls: [Call] = []
    private(set) var outcomes: [Key: [Exchange]] = [:]
    /// When the first call began, in seconds since 1970.
    let startDate: Double

    init(_ archive: HTTPArchive) {
        let times = archive.entries.map { $0.started?.timeIntervalSince1970 }
        let startDate = times.compactMap(\.self).min() ?? 0
        self.startDate = startDate
        var index = 0
        while index < archive.entries.count {
            let first = index
            var latencies = archive.entries[index].timings.latencies
            while Self.isRedirect(archive.entries, index) {
                index += 1
                latencies += archive.entries[index].timings.latencies
            }
            let exchange = Exchange(latencies: latencies, response: archive.entries[index].response)
            add(
                archive.entries[first].request, exchange,
                start: .microseconds(Int64((((times[first] ?? startDate) - startDate) * 1e6).rounded())))
            index += 1
        }
        // A stable sort, so that calls with the same start keep their order.
        calls = calls.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(
            \.element)
    }

    /// Whether the entry is a redirect to the next one.
    private static func isRedirect(_ entries: [HTTPArchive.Entry], _ index: Int) -> Bool {
        guard index + 1 < entries.count, (300..<400).contains(entries[index].response.status) else { return false }
        let place = entries[index].response.redirectURL
        return !place.isEmpty && place.prefix { $0 != "#" } == entries[index + 1].request.url.prefix { $0 != "#" }
    }

    private mutating func add(_ recorded: HTTPArchive.Request, _ exchange: Exchange, start: Duration) {
        var draft = MutableRequest(HTTPMethod(recorded.method), recorded.url)
        if recorded.headers.contains(where: { $0.name.lowercased() == "idempotency-key" }) {
            draft.headers.set("recorded", for: "Idempotency-Key")
        }
        guard let request = try? Request(draft) else { return }
        let key = Key(request)
        calls.append(Call(draft: draft, key: key, start: start, first: exchange))
        outcomes[key, default: []].append(exchange)
    }
}

extension HTTPArchive.Timings {
    var latencies: [StubLatency] {
        let tls = max(ssl, 0)
        let parts: [(CallPhase, Double)] = [
            (.starting, blocked), (.resolving, dns), (.connecting, max(connect, 0) - tls), (.securing, tls),
            (.sending, send),
            (.waiting, wait), (.receiving, receive),
        ]
        return parts.filter { $0.1 > 0 }.map {
            StubLatency(phase: $0.0, duration: .nanoseconds(Int64(min($0.1, 1e12) * 1e6)))
        }
    }
}
