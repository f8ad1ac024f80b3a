/// The Cookie field of a request. RFC 6265bis §5.8.1 allows only one.
enum CookieField {
    /// The caller's own cookies, followed by those of the jar. A name set by the caller is left out of the jar's
    /// cookies: a value given for this request takes precedence. Nil if there is nothing to send.
    static func value(own fields: [String], jar cookies: [Cookie]) -> String? {
        let own = fields.flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.map { ASCII.trimmed(Substring($0)) }
            .filter { !$0.isEmpty }
        let names = Set(own.map(name))
        let rest = cookies.filter { $0.name.isEmpty || !names.contains($0.name) }.map(\.pair)
        // There is nothing to join: sent as the caller wrote it.
        if rest.isEmpty, fields.count < 2 { return fields.first }
        let pairs = own.map(String.init) + rest
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    private static func name(_ pair: Substring) -> String {
        guard let mark = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return "" }
        return String(ASCII.trimmed(pair[..<mark]))
    }
}

extension Request {
    /// This request with the cookies that its jar has for its URL; unchanged if it has no jar.
    func withCookies() -> Request {
        guard let jar = cookies,
            let value = CookieField.value(own: headers.values(for: "Cookie"), jar: jar.cookies(for: url))
        else { return self }
        var headers = headers
        headers.set(value, for: "Cookie")
        return Request(self, method: method, url: url, headers: headers, body: body)
    }

    /// This request, remembering the cookies with which it was sent: the jar may have others by now.
    func rememberingCookies(of sent: Request?) -> Request {
        let value = sent?.headers.combinedValue(for: "Cookie")
        guard value != nil || sentCookies != nil else { return self }
        return Request(self, headers: headers) { $0.sentCookies = value }
    }

    /// The request of a response, with the cookies that were sent.
    var withSentCookies: Request {
        guard cookies != nil, let value = sentCookies else { return self }
        var headers = headers
        headers.set(value, for: "Cookie")
        return Request(self, method: method, url: url, headers: headers, body: body)
    }
}
