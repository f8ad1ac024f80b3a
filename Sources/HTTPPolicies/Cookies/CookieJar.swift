public import HTTPFoundation
import HTTPSupport

/// Stores the cookies that servers set and sends them back, by the rules of RFC 6265bis.
///
///     let jar = CookieJar()
///     client.executeRequest(.post(base + "/login") |> .form(credentials) |> .cookies(jar))
///     client.executeRequest(.get(base + "/profile") |> .cookies(jar))
///
/// A request has cookies only if a step or the service's defaults give it a jar. Each redirect sends the cookies of its
/// own URL and stores those of its response. A jar keeps at most 50 cookies per domain and 3,000 in all, none for
/// longer than 400 days. One jar may serve any number of threads, clients and services at once.
///
/// A jar is in memory. To save it, encode `cookies`; to restore it, decode `SavedCookies`, which skips and lists
/// unreadable entries. Leave out cookies with `isSession` if the session ends with the program.
///
///     try JSONEncoder().encode(jar.cookies).write(to: file)
///     let saved = try JSONDecoder().decode(SavedCookies.self, from: try Data(contentsOf: file))
///     let jar = CookieJar(restoring: saved.cookies)
///     if !saved.skipped.isEmpty { print("some cookies were lost:", saved.skipped) }
public final class CookieJar: CookieStorage {
    private let state: Locked<CookieStore>
    private let suffixes: PublicSuffixRule
    private let now: @Sendable () -> Date

    /// An empty jar, or one with saved cookies. Cookies that have expired since are left out.
    ///
    /// - Parameters:
    ///   - cookies: The saved cookies.
    ///   - publicSuffixes: Recognizes the domains that no cookie may cover.
    ///   - now: The current time. It is called on the thread of each call.
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

    /// The cookies to send to `url`, in order. This counts as a use.
    public func cookies(for url: HTTPURL) -> [Cookie] {
        let now = now()
        return state.withLock { $0.cookies(for: url, at: now) }
    }

    /// The Cookie field for a request to `url`; nil for none. This counts as a use.
    public func cookieField(for url: HTTPURL) -> String? {
        let cookies = cookies(for: url)
        return cookies.isEmpty ? nil : cookies.map(\.pair).joined(separator: "; ")
    }

    /// Stores Set-Cookie fields as if they came in a response from `url`. Invalid fields are ignored, as RFC 6265bis
    /// requires. Of more than 200 the last count.
    ///
    /// - Returns: Whether what would be sent has changed; another expiry time, SameSite or HttpOnly does not count.
    @discardableResult
    public func store(_ fields: [String], from url: HTTPURL) -> Bool {
        guard !fields.isEmpty else { return false }
        let now = now()
        let cookies = fields.suffix(Self.fieldLimit).compactMap(SetCookie.init).compactMap { field in
            Cookie(field, from: url, at: now, suffixes: suffixes)
        }
        return state.withLock { store in
            defer { store.evictExcess(at: now) }
            return cookies.reduce(false) { changed, cookie in store.store(cookie, from: url, at: now) || changed }
        }
    }

    /// Each field is compared with the whole jar, under its lock.
    static let fieldLimit = 200

    /// Removes every cookie. Any thread may call it.
    public func removeAll() { state.withLock { $0.removeAll { _ in true } } }

    /// Removes the cookies of `domain` and of the hosts below it.
    public func removeAll(for domain: String) {
        let domain = HostName.canonical(domain)
        state.withLock { $0.removeAll { CookieDomain.matches($0.cookie.domain, domain) } }
    }

    /// Ends the session: removes the cookies that have no expiry time.
    public func removeSessionCookies() { state.withLock { $0.removeAll(where: \.cookie.isSession) } }
}

extension CookieJar: Redacted {
    /// The number of cookies, without their contents.
    public var description: String { "CookieJar with \(state.withLock(\.count)) cookies" }
}
