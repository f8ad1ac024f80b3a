/// Supplies the cookies of requests and takes those of responses: `CookieJar`, or a storage of one's own.
///
/// A request has one only if a step or the service's defaults give it one. It is asked for each exchange, redirects
/// included, on the thread of the call, and may serve any number of calls at once.
public protocol CookieStorage: AnyObject, Sendable {
    /// The value of the Cookie field for a request to `url`: `a=1; b=2` (RFC 6265bis §5.8). Nil for none.
    ///
    /// A pair with a character that may not stand in a field, and an empty one, is left out.
    func cookieField(for url: HTTPURL) -> String?

    /// Takes the Set-Cookie fields of a response from `url`, each as it came. It is called for each response, also for
    /// one without such a field, before its body is read.
    ///
    /// - Returns: Whether what would be sent has changed: a redirect may then visit an earlier URL again.
    @discardableResult
    func store(_ fields: [String], from url: HTTPURL) -> Bool
}

enum CookiesKey: MessageKey {
    static let defaultValue: (any CookieStorage)? = nil

    static func areEqual(_ one: (any CookieStorage)?, _ other: (any CookieStorage)?) -> Bool { one === other }
}

/// The Cookie field that was sent with the storage's cookies, in the request of a response.
enum SentCookiesKey: NotingKey { static let defaultValue: String? = nil }

/// Whether a response has changed the cookies of its request's storage.
package enum NewCookiesKey: NotingKey { package static let defaultValue = false }

extension MutableRequest {
    /// The jar, or other storage, that supplies and takes cookies; nil, the default, for none.
    public var cookies: (any CookieStorage)? {
        get { self[CookiesKey.self] }
        set { self[CookiesKey.self] = newValue }
    }
}

extension RequestStep {
    /// Sends the jar's cookies and stores those of the response, for the request and each redirect. Nil removes the jar
    /// of a service's defaults.
    ///
    /// The caller's own Cookie header is kept: its cookies come first in the one field that is sent, and the jar's
    /// cookies of the same names are left out, even if a redirect has just set them: leave to the jar what the server
    /// sets. The header is dropped on a redirect to another origin, for which the jar has its own cookies.
    public static func cookies(_ jar: (any CookieStorage)?) -> RequestStep { .setting(CookiesKey.self, to: jar) }
}

extension Request {
    /// The jar, or other storage, that supplies and takes cookies; nil for none. Cookies are added on sending and are not
    /// in `headers`.
    public var cookies: (any CookieStorage)? { self[CookiesKey.self] }

    /// This request with the cookies that its storage has for its URL; unchanged if it has none, or for a TRACE, which
    /// must carry none (RFC 9110 §9.3.8).
    package func withCookies() -> Request {
        guard method != .trace, let storage = cookies,
            let value = CookieField.value(own: headers.values(for: "Cookie"), stored: storage.cookieField(for: url))
        else { return self }
        return with(value)
    }

    /// This request, remembering the cookies with which it was sent: the storage may have others by now.
    package func rememberingCookies(of sent: Request?) -> Request {
        let value = sent?.headers.combinedValue(for: "Cookie")
        guard value != nil || self[SentCookiesKey.self] != nil else { return self }
        return setting(SentCookiesKey.self, to: value)
    }

    /// The request of a response, with the cookies that were sent.
    package var withSentCookies: Request {
        guard cookies != nil, let value = self[SentCookiesKey.self] else { return self }
        return with(value)
    }

    private func with(_ cookies: String) -> Request {
        var headers = headers
        headers.set(cookies, for: "Cookie")
        return Request(self, method: method, url: url, headers: headers, body: body)
    }
}
