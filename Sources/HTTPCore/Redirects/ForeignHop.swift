/// A redirect to another origin that is followed above the engine, by a policy.
///
/// The policies below that one see the request as any other, and add what they add to all: a token, an API key. They
/// were given that for the origin of the call. So the request carries what the redirect made of it, and whatever is
/// built from it is held to that: it gains only fields that may cross origins, and no query, no body, no other method.
/// It is the rule that an engine keeps when it follows the redirect itself, and it holds for every client below.
package struct ForeignHop: Sendable {
    /// The origin of the call.
    let origin: Origin
    /// What the redirect made of the request.
    fileprivate let request: Request

    /// `built`, which was made from that of the redirect, without what must not cross.
    func confining(_ built: Request) -> Request {
        var headers = built.headers
        headers.removeAll { field in !built.redirects.letsCross(field.name) && !request.headers.contains(field) }
        // A policy that sends everything by way of another host decides itself whom it talks to.
        let url = built.origin == request.origin ? request.url : built.url
        return Request(built, method: request.method, url: url, headers: headers, body: request.body)
    }
}

enum HopKey: NotingKey { static let defaultValue: ForeignHop? = nil }

extension Request {
    /// The redirect to another origin that led here, followed above the engine; nil for none.
    package var hop: ForeignHop? { self[HopKey.self] }

    /// The origin that the call was made to.
    package var callOrigin: Origin { hop?.origin ?? origin }

    /// This request as one that a redirect of a call to `origin` led to. Policies below the caller can add only what may
    /// cross origins.
    package func asHop(from origin: Origin) -> Request {
        setting(HopKey.self, to: ForeignHop(origin: hop?.origin ?? origin, request: withoutHop))
    }

    /// The request as one of its own, for whoever made the call.
    package var withoutHop: Request { hop == nil ? self : setting(HopKey.self, to: nil) }

    /// Whether a policy may add the field for the origin of the call.
    package func admits(_ name: String) -> Bool { hop == nil || redirects.letsCross(name) }
}
