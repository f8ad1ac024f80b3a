/// Two requests are equal if they send the same and treat the response alike: method, URL, header fields in order, body,
/// and settings. A part that is a closure (the source of a streamed body, a sink, trailer fields), and a cookie jar,
/// equals only itself: two requests made by the same line are equal if their bodies are in memory, and a request with
/// a stream equals its own copies. A multipart body has a random boundary, so that one made again is another, and so is
/// a request with a new idempotency key.
///
/// A value of one's own counts as its key says (`MessageKey.areEqual`). Who watches does not count: progress, and what
/// interceptors and engines note on a request on its way. Secrets are compared, and not printed.
extension Request: Equatable {
    public static func == (lhs: Request, rhs: Request) -> Bool {
        lhs.isCopy(of: rhs)
            || lhs.method == rhs.method && lhs.url == rhs.url && lhs.headers == rhs.headers && lhs.body == rhs.body
                && lhs.timeouts == rhs.timeouts && lhs.limits == rhs.limits && lhs.hasSettings(of: rhs)
    }
}

extension BodyDestination {
    /// Whether both lead to the same place.
    func isSame(as other: BodyDestination) -> Bool {
        guard takesRefusals == other.takesRefusals else { return false }
        return switch (kind, other.kind) {
        case (.memory, .memory), (.discard, .discard): true
        case (.file(let path), .file(let other)): path == other
        case (.stream(let factory), .stream(let other)): factory === other
        case (.memory, _), (.discard, _), (.file, _), (.stream, _): false
        }
    }
}

extension RequestOptions.Values {
    /// Whether a call treats both alike. The bodies decide about timeouts and limits: those are not compared here.
    func treatAlike(_ other: RequestOptions.Values) -> Bool {
        redirects == other.redirects && version == other.version && destination.isSame(as: other.destination)
            && continueWait == other.continueWait && carried.areEqual(to: other.carried)
    }
}
