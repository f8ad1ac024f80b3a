/// Whether and where a response redirects the call: a pure function of the request, status and fields, and the
/// redirects so far.
package enum RedirectDecision: Sendable {
    /// The response is not redirected.
    case final
    /// Follow the redirect with this request.
    case follow(Request, RedirectHop)
    /// The redirect must not be followed.
    case refuse(RedirectFailure.Reason, HTTPURL?)

    /// `outdatedVisits`: how many of the visited URLs, including the current one, were visited with other cookies than
    /// the next request will have. Those visits do not count: after a login, a site may lead back to the same page.
    package init(
        _ status: HTTPStatus, _ headers: HTTPHeaders, answering request: Request, after hops: [RedirectHop],
        outdatedVisits: Int = 0
    ) {
        guard Self.isFollowedRedirect(status, headers, answering: request), let text = headers["Location"] else {
            self = .final
            return
        }
        // Byte by byte: strings that are spelled otherwise in Unicode are equal to Swift.
        if let other = headers.values(for: "Location").first(where: { !$0.utf8.elementsEqual(text.utf8) }) {
            self = .refuse(
                .badLocation("occurs with the different values \(Self.shown(text)) and \(Self.shown(other))"), nil)
            return
        }
        do {
            let location = try request.url.resolving(text, spelling: .fromServer)
            let target = location.withFragment(location.fragment ?? request.url.fragment)
            self = Self.decide(status, headers, target, request, hops, outdatedVisits)
        } catch {
            self = .refuse(.badLocation("is \(Self.shown(text)) and \(error.description)"), nil)
        }
    }

    /// A received Location, for an error message.
    private static func shown(_ location: String) -> String {
        let text = Redaction.urlText(location)
        let start = Substring(text.unicodeScalars.prefix(200))
        return ASCII.quoted(start.endIndex == text.endIndex ? text : start + "…")
    }

    /// Whether a response to `request` is a redirect that is followed or refused, so that its body is not used. An empty
    /// Location, which would lead to the same URL, is none.
    package static func isFollowedRedirect(
        _ status: HTTPStatus, _ headers: HTTPHeaders, answering request: Request
    ) -> Bool {
        switch status {
        case .movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect:
            request.redirects.limit > 0 && headers.values(for: "Location").contains { !$0.isEmpty }
        default: false
        }
    }

    private static func decide(
        _ status: HTTPStatus, _ headers: HTTPHeaders, _ target: HTTPURL, _ request: Request, _ hops: [RedirectHop],
        _ outdatedVisits: Int
    ) -> RedirectDecision {
        if target.userinfo != nil {
            return .refuse(.badLocation("carries credentials"), target)
        }
        if request.url.scheme == .https, target.scheme == .http, !request.redirects.allowsInsecureHop {
            return .refuse(.insecure, target)
        }
        if hops.count >= request.redirects.limit {
            return .refuse(.tooMany(limit: request.redirects.limit), target)
        }
        let next = request.redirected(to: target, by: status)
        let visits = visits(to: next, from: request, hops, outdatedVisits)
        if visits >= max(1, request.redirects.visitsPerURL) { return .refuse(.cycle(visits: visits), target) }
        guard next.body.isReplayable else { return .refuse(.bodyNotReplayable, target) }
        return .follow(
            next,
            RedirectHop(status: status, method: request.method, url: request.url, location: target, headers: headers))
    }

    /// How often the call has already sent what `next` sends. A GET of a URL that a POST was sent to is another
    /// request.
    private static func visits(
        to next: Request, from request: Request, _ hops: [RedirectHop], _ outdatedVisits: Int
    ) -> Int {
        let isRepeat = next.method == request.method && next.url.string == request.url.string
        let before = hops.dropFirst(outdatedVisits).count { hop in
            hop.url.string == next.url.string && hop.method == next.method
        }
        return before + (isRepeat && outdatedVisits <= hops.count ? 1 : 0)
    }
}

extension Request {
    /// This request, redirected to `target` (RFC 9110 §15.4). POST (but not QUERY) becomes GET on 301 and 302, and all
    /// methods but HEAD do on 303; the body, its headers and what restricts a write are dropped. 307 and 308 repeat the request.
    package func redirected(to target: HTTPURL, by status: HTTPStatus) -> Request {
        let becomesGet =
            switch status {
            case .movedPermanently, .found: method == .post
            case .seeOther: method != .head && method != .get
            default: false
            }
        var headers = headers
        if becomesGet {
            headers.removeAll { RedirectHeaders.describesBody($0.name) || RedirectHeaders.restrictsWrite($0.name) }
        }
        headers.removeAll(where: RedirectHeaders.isBoundToTarget)
        if target.origin != url.origin {
            let isWrite = !becomesGet && !method.isSafe
            headers.removeAll { field in
                !redirects.letsCross(field.name) && !(isWrite && RedirectHeaders.restrictsWrite(field.name))
            }
        }
        let next = Request(
            self, method: becomesGet ? .get : method, url: target.withoutUserinfo(), headers: headers,
            body: becomesGet ? .empty : body)
        return hop == nil ? next : next.asHop(from: origin)
    }
}

extension RedirectPolicy {
    /// Whether the field may be sent to another origin than it was set for: the one rule for all who follow redirects.
    package func letsCross(_ name: String) -> Bool {
        RedirectHeaders.mayCrossOrigins(name)
            || crossOriginHeaders.contains { ASCII.equalsIgnoringCase($0, name) }
    }
}

/// The redirects of one call, for whoever follows them: an engine's plan, or the cache.
package struct RedirectCourse: Sendable {
    /// Those followed so far.
    package private(set) var hops: [RedirectHop] = []
    /// How many URLs were visited before the cookies last changed: the call may visit them again.
    private var outdatedVisits = 0

    package init() {}

    /// The last response has changed the cookies that the next request will have. Call it before `next`.
    package mutating func noteNewCookies() { outdatedVisits = hops.count + 1 }

    /// Whether the last response, which is no redirect to follow, has.
    package var hasNewCookies: Bool { outdatedVisits > hops.count }

    /// What follows from a response to `request`, by the rules and then by the hook of its policy. A redirect that is
    /// followed is one of the `hops` from then on.
    package mutating func next(
        _ status: HTTPStatus, _ headers: HTTPHeaders, answering request: Request
    ) -> RedirectDecision {
        let decision = RedirectDecision(
            status, headers, answering: request, after: hops, outdatedVisits: outdatedVisits)
        guard case .follow(_, let hop) = decision else { return decision }
        if case .refuse(let words)? = request.redirects.hook?.value(hop) {
            return .refuse(.refusedByPolicy(words), hop.location)
        }
        hops.append(hop)
        return decision
    }
}
