/// The trailer fields of a request (RFC 9110 §6.5): their names, which are announced, and a closure that makes their
/// values once the body has been read. An object, because few requests have them, and all are copied.
package final class RequestTrailers: Sendable {
    let names: [String]
    let make: @Sendable () throws -> HTTPHeaders

    init(names: [String], make: @escaping @Sendable () throws -> HTTPHeaders) {
        self.names = names
        self.make = make
    }

    /// The fields for one exchange. A field that was not announced, or is not allowed in trailers, is a problem: the
    /// request is then not completed.
    package func fields() throws(BodyProblem) -> HTTPHeaders {
        let fields: HTTPHeaders
        do { fields = try make() } catch { throw BodyProblem(.trailers, error) }
        for field in fields {
            guard names.contains(where: field.isNamed) else {
                throw Self.broken("the field \(ASCII.quoted(field.name)) is not among the names given")
            }
            guard ASCII.isFieldValue(field.value) else {
                throw Self.broken("the value of the field \(field.name) contains a control character or outer space")
            }
        }
        return fields
    }

    /// Why a request with these trailers cannot be sent; nil if it can.
    var defect: String? {
        if names.isEmpty { return "trailer fields need names, which are announced in front of the body" }
        for name in names {
            guard ASCII.isToken(name) else {
                return "the trailer field name \(ASCII.quoted(name)) is not a token (RFC 9110 §5.1)"
            }
            guard Self.mayTrail(name) else {
                return "the field \(name) has to stand in front of the body (RFC 9110 §6.5.1)"
            }
        }
        return nil
    }

    /// Whether the field may be a trailer: fields for framing, routing, authentication, conditions and content are
    /// needed before the body.
    private static func mayTrail(_ name: String) -> Bool {
        let name = ASCII.lowercased(name)
        let isForbidden = ["if-", "proxy-", "content-type", "content-encoding", "content-length", "content-range"]
            .contains(where: name.hasPrefix)
        return !isForbidden && !forbidden.contains(name)
    }

    private static let forbidden: Set<String> = [
        "authorization", "cache-control", "connection", "cookie", "expect", "host", "keep-alive", "max-forwards",
        "pragma", "range", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private static func broken(_ words: String) -> BodyProblem {
        BodyProblem(.trailers, BrokenBodyContract(description: words))
    }
}

enum TrailersKey: MessageKey {
    static let defaultValue: RequestTrailers? = nil

    static func areEqual(_ one: RequestTrailers?, _ other: RequestTrailers?) -> Bool { one === other }
}

extension Request {
    /// The trailer fields to send. They are sent only if their announcement, the `Trailer` header, is still present.
    package var trailers: RequestTrailers? {
        self[TrailersKey.self].flatMap { !body.isEmpty && headers.contains("Trailer") ? $0 : nil }
    }
}

extension RequestStep {
    /// Sends fields after the body (RFC 9110 §6.5), such as a checksum, which is known only when the whole body has
    /// been read.
    ///
    ///     .file("video.mp4") |> .trailers("Repr-Digest") { ["Repr-Digest": digest.value] }
    ///
    /// The names are announced in the field `Trailer`. The request uses HTTP/1.1, and the body is sent in chunks even
    /// if its length is known. A redirect that repeats the body repeats the fields; a redirect to another origin drops
    /// them unless `Trailer` is in `RedirectPolicy.crossOriginHeaders`. Some servers ignore them, and proxies may drop
    /// them.
    ///
    /// The request fails with `.invalidRequest` if there is no body, or if a name is invalid or not allowed in
    /// trailers. It fails with `.unsupported`, before anything is sent, over URLSession, which cannot send trailers, and
    /// over a libcurl older than 8.7, which cannot send them safely. It fails with `.body` if `make` throws or returns a
    /// field of another name or an invalid value; the server then receives an incomplete request.
    ///
    /// - Parameters:
    ///   - names: The names of all fields that `make` may return.
    ///   - make: Makes the fields. It runs on the thread that sends, after the last byte of the body, each time the
    ///     body is sent.
    public static func trailers(_ names: String..., make: @escaping @Sendable () throws -> HTTPHeaders) -> RequestStep {
        .setting(TrailersKey.self, to: RequestTrailers(names: names, make: make))
    }
}
