import HTTPCore
import Synchronization

/// A cookie storage of one's own: one cookie of a name for each host, and no more rules than that.
public final class HostCookies: CookieStorage {
    private let cookies = Mutex<[String: [String: String]]>([:])

    public init() {}

    public func cookieField(for url: HTTPURL) -> String? {
        let pairs = cookies.withLock { $0[url.host] } ?? [:]
        return pairs.isEmpty
            ? nil : pairs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    @discardableResult
    public func store(_ fields: [String], from url: HTTPURL) -> Bool {
        let pairs = fields.compactMap { $0.split(separator: ";").first?.split(separator: "=", maxSplits: 1) }
        return cookies.withLock { cookies in
            let before = cookies[url.host]
            for pair in pairs where pair.count == 2 {
                cookies[url.host, default: [:]][String(pair[0])] = String(pair[1])
            }
            return cookies[url.host] != before
        }
    }
}
