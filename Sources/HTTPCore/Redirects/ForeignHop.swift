/// A redirect to another origin that is followed above the engine, by a policy.
///
/// The policies below that one see the request as any other, and add what they add to all: a token, an API key. They
/// were given that for the origin of the call. So the request carries what the redirect made of it, and whatever is
/// built from it is held to that: it gains only fields that may cross origins, and no query, no body, no other method.
/// It is the rule that an engine keeps when it follows the redirect itself, and it holds for every client below.
package final class ForeignHop: Sendable {
    /// The origin of the call.
    let origin: Origin
    private let method: HTTPMethod
    private let url: HTTPURL
    private let headers: HTTPHeaders
    private let body: RequestBody

    fileprivate init(_ request: Request, from origin: Origin) {
        self.origin = origin
        (method, url, headers, body) = (request.method, request.url, request.headers, request.body)
    }

    /// `request`, which was built from that of the redirect, without what must not cross.
    func confining(_ request: Request) -> Request {
        var headers = request.headers
        headers.removeAll { field in !request.redirects.letsCross(field.name) && !self.headers.contains(field) }
        // A policy that sends everything by way of another host decides itself whom it talks to.
        let url = request.origin == url.origin ? url : request.url
        return Request(request, method: method, url: url, headers: headers, body: body)
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
        setting(HopKey.self, to: ForeignHop(self, from: hop?.origin ?? origin))
    }

    /// The request as one of its own, for whoever made the call.
    package var withoutHop: Request { hop == nil ? self : setting(HopKey.self, to: nil) }

    /// Whether a policy may add the field for the origin of the call.
    package func admits(_ name: String) -> Bool { hop == nil || redirects.letsCross(name) }
}
