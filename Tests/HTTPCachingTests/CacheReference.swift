import HTTPCore

/// RFC 9111 for a private cache, implemented literally: it shares no parser with the cache, keeps only what it
/// received, and never evicts. The cache is compared with it.
struct CacheReference {
    struct Stored {
        let url: String
        var headers: [(name: String, value: String)]
        var fields: [String: String]
        let authorization: String?
        var requested: Double
        var responded: Double
        let status: Int
        let body: String

        subscript(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
        var directives: [String] { self["cache-control"].flatMap { $0.split(separator: ",").map { Self.plain($0) } } }
        func says(_ name: String) -> Bool { directives.contains(name) }
        func seconds(_ name: String) -> Double? { CacheReference.seconds(name, in: directives) }
        var vary: [String] { self["vary"].flatMap { $0.split(separator: ",").map { Self.plain($0) } } }
        var tag: String? { self["etag"].first }
        private static func plain(_ text: Substring) -> String { text.filter { $0 != " " }.lowercased() }
    }

    struct Ask {
        let url: String
        let method: String
        let control: [String]
        let fields: [String: String]
        var authorization: String? { fields["authorization"] }
        func says(_ name: String) -> Bool { control.contains { $0 == name || $0.hasPrefix(name + "=") } }
        func seconds(_ name: String) -> Double? { CacheReference.seconds(name, in: control) }
    }

    enum Plan {
        case answer(Int)
        case ask([Int], standIn: Int?)
        case pass
        case fail
    }

    var stored: [Stored] = []
    /// For each process, the keys that its next call must validate.
    var due: [[Bool]: Set<String>] = [:]

    private static func seconds(_ name: String, in directives: [String]) -> Double? {
        let values = directives.filter { $0.hasPrefix(name + "=") }.map { Double($0.dropFirst(name.count + 1)) ?? 0 }
        return values.min()
    }

    private func date(_ text: String?) -> Double? {
        text.flatMap { HTTPDate(forgiving: $0, now: 784_111_777) }.map { Double($0.unixTime) }
    }

    func age(_ one: Stored, _ now: Double) -> Double? {
        guard now - one.responded > -60 else { return nil }
        let apparent = max(0, one.responded - (date(one["date"].first) ?? one.responded))
        let corrected = (one["age"].first.flatMap(Double.init) ?? 0) + max(0, one.responded - one.requested)
        return max(apparent, corrected) + max(0, now - one.responded)
    }

    func lifetime(_ one: Stored) -> (Double, isExplicit: Bool) {
        let sent = date(one["date"].first) ?? one.responded
        if let maxAge = one.seconds("max-age") { return (maxAge, true) }
        if let expires = one["expires"].first { return ((date(expires) ?? -.infinity) - sent, true) }
        guard one.says("public") || [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(one.status),
            let modified = date(one["last-modified"].first)
        else { return (0, false) }
        return (min(86_400, max(0, (sent - modified) / 10)), false)
    }

    func left(_ one: Stored, _ now: Double) -> Double { age(one, now).map { lifetime(one).0 - $0 } ?? -.infinity }

    private func fits(_ one: Stored, _ ask: Ask) -> Bool {
        one.url == ask.url && one.authorization == ask.authorization
            && one.fields.allSatisfy { $0.value == ask.fields[$0.key] ?? "<none>" }
    }

    /// The fields that distinguish requests, according to the stored responses of a URL.
    private func flight(_ ask: Ask) -> String {
        let names = Set(stored.filter { $0.url == ask.url }.flatMap { $0.fields.keys }).sorted()
        return
            ([ask.url, ask.authorization ?? ""] + names.compactMap { name in ask.fields[name].map { "\(name)=\($0)" } })
            .joined(separator: "\n")
    }

    // MARK: §4

    mutating func plan(_ ask: Ask, _ now: Double, process: Bool) -> Plan {
        guard ask.method == "GET" || ask.method == "HEAD", !ask.says("no-store") else {
            return ask.says("only-if-cached") ? .fail : .pass
        }
        let places = stored.indices.filter { fits(stored[$0], ask) }
        guard let newest = places.max(by: { stored[$0].responded < stored[$1].responded }) else {
            if ask.says("only-if-cached") { return .fail }
            noteAsked(ask, process)
            let tagged = stored.indices.filter {
                stored[$0].url == ask.url && stored[$0].authorization == ask.authorization && stored[$0].tag != nil
            }
            return .ask(ask.method == "HEAD" ? [] : tagged, standIn: nil)
        }
        let one = stored[newest]
        let left = left(one, now)
        let asks: [Int] = ask.method == "HEAD" || (one.tag == nil && one["last-modified"].isEmpty) ? [] : [newest]
        var isUsable = !ask.says("no-cache") && !one.says("no-cache")
        let isReload = one.says("immutable") && left > 0 && ask.seconds("max-age") == 0
        if let limit = ask.seconds("max-age"), !isReload, limit == 0 || age(one, now).map({ $0 > limit }) ?? true {
            isUsable = false
        }
        if isUsable {
            if left > 0, left >= ask.seconds("min-fresh") ?? 0 { return .answer(newest) }
            if left <= 0, !one.says("must-revalidate"), !ask.says("min-fresh") {
                if ask.says("max-stale"), -left <= ask.seconds("max-stale") ?? .infinity { return .answer(newest) }
                if -left < one.seconds("stale-while-revalidate") ?? -1, !ask.says("max-age"),
                    !ask.says("only-if-cached")
                {
                    let key = flight(ask)
                    guard due[[process], default: []].remove(key) != nil else {
                        due[[process], default: []].insert(key)
                        return .answer(newest)
                    }
                }
            }
        }
        if ask.says("only-if-cached") { return .fail }
        noteAsked(ask, process)
        return .ask(asks, standIn: mayStandIn(one, ask, now) ? newest : nil)
    }

    private mutating func noteAsked(_ ask: Ask, _ process: Bool) {
        guard ask.method == "GET", !ask.says("no-cache"), !ask.says("max-age") else { return }
        due[[process], default: []].remove(flight(ask))
    }

    private func mayStandIn(_ one: Stored, _ ask: Ask, _ now: Double) -> Bool {
        guard !one.says("must-revalidate"), !one.says("no-cache"), !ask.says("no-cache"), !ask.says("max-age"),
            !ask.says("min-fresh")
        else { return false }
        let windows = [one.seconds("stale-if-error"), ask.seconds("stale-if-error")].compactMap(\.self)
        return windows.max().map { -left(one, now) < $0 } ?? false
    }

    // MARK: §3 and §4.3

    func mayStore(_ new: Stored, _ ask: Ask) -> Bool {
        guard ask.method == "GET", !ask.says("no-store"), !new.says("no-store"), !new.vary.contains("*"),
            new.status != 304
        else { return false }
        let (_, isExplicit) = lifetime(new)
        guard
            isExplicit || new.says("public")
                || [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(new.status)
        else { return false }
        if new.tag != nil || !new["last-modified"].isEmpty { return true }
        guard !new.says("no-cache") else { return false }
        return left(new, new.responded) > 0 || isExplicit && !new.says("must-revalidate")
    }

    mutating func put(_ new: Stored) {
        stored.removeAll { $0.url == new.url && $0.fields == new.fields && $0.authorization == new.authorization }
        stored.append(new)
    }

    /// A 304 for one of those at `places`; nil if it names none.
    mutating func freshen(
        _ places: [Int], _ headers: [(name: String, value: String)], _ ask: Ask, _ requested: Double,
        _ responded: Double
    ) -> Stored? {
        let tag = headers.first { $0.name == "etag" }?.value
        let named = tag.flatMap { tag in places.first { stored[$0].tag == tag } }
        guard let place = named ?? (places.count == 1 ? places[0] : nil) else { return nil }
        var one = stored[place]
        let isOther = !fits(one, ask)
        one.headers.removeAll { old in
            ["age", "date"].contains(old.name) || headers.contains { $0.name == old.name }
        }
        one.headers += headers
        (one.requested, one.responded) = (requested, responded)
        one.fields = Self.fields(one.headers, ask)
        let isKept = !one.vary.contains("*") && !one.says("no-store")
        if !isKept || !isOther { stored.remove(at: place) }
        if isKept { put(one) }
        return one
    }

    /// The values of the fields that Vary names.
    static func fields(_ headers: [(name: String, value: String)], _ ask: Ask) -> [String: String] {
        let names = headers.filter { $0.name == "vary" }.flatMap { $0.value.lowercased().split(separator: ",") }
        return Dictionary(uniqueKeysWithValues: Set(names.map(String.init)).map { ($0, ask.fields[$0] ?? "<none>") })
    }

    mutating func invalidate(_ url: String) { stored.removeAll { $0.url == url } }
}
