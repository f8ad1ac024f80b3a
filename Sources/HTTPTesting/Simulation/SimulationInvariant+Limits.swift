import HTTPSupport

/// About the limits that a client is given.
extension SimulationInvariant {
    /// No call is retried more often than `limit` says, and the calls to one origin together not more often than a
    /// `RetryBudget` of `capacity` and `refill` allows: at any time there were at most `capacity` retries, one more for each
    /// call that succeeded after a retry, and `refill` more for each that succeeded without one.
    ///
    /// An exchange counts as a retry if the one before it in its call got no answer, or one with 408, 429 or a status from 500.
    ///
    /// - Parameters:
    ///   - limit: The largest number of retries of a call.
    ///   - capacity: The retries in store.
    ///   - refill: The retries that each success adds.
    ///   - perOrigin: Whether each origin that calls begin with has its own budget, as with `.retry()`. False for a budget
    ///     that all calls share.
    public static func retries(
        atMost limit: Int, capacity: Int = 20, refill: Double = 0.1, perOrigin: Bool = true
    ) -> SimulationInvariant {
        SimulationInvariant(name: "at most \(limit) retries of a call, and \(capacity) in store") { record in
            var (retries, hasFailed): ([Int: Int], Set<Int>) = ([:], [])
            var (spent, earned): ([String: Int], [String: Double]) = ([:], [:])
            var origins: [Int: String] = [:]
            for (index, event) in record.events.enumerated() where event.call > 0 {
                let origin = origins[event.call] ?? ""
                switch event.kind {
                case .callStarted where perOrigin: origins[event.call] = event.request.map { "\($0.url.origin)" }
                case .failed: hasFailed.insert(event.call)
                case .answered(let status):
                    let isBad = status.rawValue >= 500 || status == .requestTimeout || status == .tooManyRequests
                    if isBad { hasFailed.insert(event.call) } else { hasFailed.remove(event.call) }
                case .sent where hasFailed.contains(event.call):
                    retries[event.call, default: 0] += 1
                    spent[origin, default: 0] += 1
                    if retries[event.call, default: 0] > limit {
                        return Finding(
                            sentence: "call \(event.call) was retried more often than \(limit) times", index: index,
                            calls: [event.call])
                    }
                    let (spent, most) = (spent[origin, default: 0], Double(capacity) + earned[origin, default: 0])
                    if Double(spent) > most + 0.001 {
                        return Finding(
                            sentence: "there were \(spent) retries" + (perOrigin ? " of calls to \(origin)" : "")
                                + ", and the budget allows \(Int(most)) so far",
                            index: index)
                    }
                case .callEnded where !hasFailed.contains(event.call):
                    earned[origin, default: 0] += retries[event.call] == nil ? refill : 1
                case .callStarted, .sent, .processed, .recognized, .waiting, .cancelled, .callEnded, .stopped: break
                }
            }
            return nil
        }
    }

    /// At most `limit` exchanges are under way at the same time.
    ///
    /// - Parameters:
    ///   - limit: The largest number of exchanges.
    ///   - path: Only those to this path count, as for a refresh of a token: `atOnce(1, to: "/token")`. Nil for all.
    ///   - perHost: Whether each host has its own limit.
    public static func atOnce(_ limit: Int, to path: String? = nil, perHost: Bool = false) -> SimulationInvariant {
        SimulationInvariant(name: "at most \(limit) at once" + (path.map { " to \($0)" } ?? "")) { record in
            var running: [String: Set<Int>] = [:]
            var hosts: [Int: String] = [:]
            for (index, event) in record.events.enumerated() {
                switch event.kind {
                case .sent:
                    guard let request = event.request, path.map({ $0 == request.url.path }) ?? true else { continue }
                    let host = perHost ? request.url.host : ""
                    hosts[event.exchange] = host
                    running[host, default: []].insert(event.exchange)
                    guard let open = running[host], open.count > limit else { continue }
                    return Finding(
                        sentence: "\(open.count) exchanges were under way at once"
                            + (path.map { " to \($0)" } ?? "") + (perHost ? " with \(host)" : ""),
                        index: index, calls: [], exchanges: open)
                case .answered, .failed:
                    if let host = hosts[event.exchange] { running[host]?.remove(event.exchange) }
                case .callStarted, .processed, .recognized, .waiting, .cancelled, .callEnded, .stopped: break
                }
            }
            return nil
        }
    }

    /// No more requests of watched calls are sent than `count` per `interval`, evenly but for a burst, as `RateLimit` means it.
    ///
    /// - Parameters:
    ///   - count: The number of requests; at least 1.
    ///   - interval: The length of the period; above zero.
    ///   - burst: How many may be sent at once after a pause.
    ///   - perHost: Whether each host has its own limit.
    public static func rate(
        _ count: Int, per interval: Duration, burst: Int = 1, perHost: Bool = false
    ) -> SimulationInvariant {
        let name = "at most \(count) per \(interval.text)"
        return SimulationInvariant(name: name) { record in
            let pace = TimeSpan(interval / max(1, count)).duration
            // When the bucket is full again (ITU-T I.371), and the last exchanges.
            var full: [String: Duration] = [:]
            var sent: [String: [Int]] = [:]
            for (index, event) in record.events.enumerated() where event.kind == .sent && event.call > 0 {
                let host = perHost ? event.request?.url.host ?? "" : ""
                let wait = (full[host] ?? event.time) - event.time
                sent[host, default: []].append(event.exchange)
                if wait > pace * (max(1, burst) - 1) {
                    let last = sent[host, default: []].suffix(burst + 1)
                    return Finding(
                        sentence:
                            "a request was sent \((wait - pace * (max(1, burst) - 1)).text) too early for \(name)",
                        index: index, calls: [], exchanges: Set(last))
                }
                full[host] = max(full[host] ?? event.time, event.time) + pace
            }
            return nil
        }
    }
}
