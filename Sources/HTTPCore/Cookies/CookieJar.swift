#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the cookies that servers set and gives them back, by the rules of RFC 6265bis.
///
///     let jar = CookieJar()
///     client.executeRequest(.post(base + "/login") |> .form(credentials) |> .cookies(jar))
///     client.executeRequest(.get(base + "/profile") |> .cookies(jar))
///
/// No request has cookies until it is given a jar, by a step or by a service's defaults. Each hop of a redirect takes
/// the cookies of its own URL and leaves what its response sets. At most 50 cookies of a domain and 3,000 in all are
/// kept, none for longer than 400 days. One jar may serve any number of threads, clients and services at once.
///
/// A jar lives in memory. To keep it, encode `cookies` and later decode `SavedCookies`, which skips what it cannot read
/// and lists it; leave out those with `isSession` if the session shall end with the program.
///
///     try JSONEncoder().encode(jar.cookies).write(to: file)
///     let saved = try JSONDecoder().decode(SavedCookies.self, from: try Data(contentsOf: file))
///     let jar = CookieJar(restoring: saved.cookies)
///     if !saved.skipped.isEmpty { print("some cookies were lost:", saved.skipped) }
public final class CookieJar: Sendable {
    private let state: Locked<CookieStore>
    private let suffixes: PublicSuffixRule
    private let now: @Sendable () -> Date

    /// An empty jar, or one with cookies that were kept; those that have expired since are left out.
    ///
    /// - Parameters:
    ///   - cookies: The cookies that were kept.
    ///   - publicSuffixes: The domains for all of which no cookie may be set.
    ///   - now: The time, asked on the thread of each call.
    public init(
        restoring cookies: [Cookie] = [], publicSuffixes: PublicSuffixRule = .system,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        state = Locked(CookieStore(cookies, at: now()))
        suffixes = publicSuffixes
        self.now = now
    }

    /// Every cookie that has not expired, in the order they were first set.
    public var cookies: [Cookie] {
        let now = now()
        return state.withLock { $0.cookies(at: now) }
    }

    /// The cookies that a request to `url` takes along, in the order they are sent. They count as used now.
    public func cookies(for url: HTTPURL) -> [Cookie] {
        let now = now()
        return state.withLock { $0.cookies(for: url, at: now) }
    }

    /// Takes in Set-Cookie fields as if a response from `url` had them. Fields that break a rule are ignored, as
    /// RFC 6265bis has it.
    ///
    /// - Returns: Whether a cookie was added, changed or removed.
    @discardableResult
    public func store(_ fields: [String], from url: HTTPURL) -> Bool {
        guard !fields.isEmpty else { return false }
        let now = now()
        let cookies = fields.compactMap(SetCookie.init).compactMap { field in
            Cookie(field, from: url, at: now, suffixes: suffixes)
        }
        return state.withLock { store in
            defer { store.evictExcess(at: now) }
            return cookies.reduce(false) { changed, cookie in store.store(cookie, from: url, at: now) || changed }
        }
    }

    /// Removes every cookie. From any thread.
    public func removeAll() { state.withLock { $0.removeAll { _ in true } } }

    /// Removes the cookies of `domain` and of the hosts below it.
    public func removeAll(for domain: String) {
        let domain = HostName.canonical(domain)
        state.withLock { $0.removeAll { CookieDomain.matches($0.cookie.domain, domain) } }
    }

    /// Ends the session: cookies without an end of their own go.
    public func removeSessionCookies() { state.withLock { $0.removeAll(where: \.cookie.isSession) } }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are, and none of them.
    public var description: String { "CookieJar with \(state.withLock(\.count)) cookies" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .class) }
}
