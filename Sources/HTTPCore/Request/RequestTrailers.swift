/// The fields behind a request's body (RFC 9110 §6.5): their names, which are announced, and what makes their values once
/// the body has been read.
package struct RequestTrailers: Sendable {
    let names: [String]
    let make: @Sendable () throws -> HTTPHeaders

    /// The fields for one exchange. One that was not announced, or that no trailer section may hold, is a problem: the
    /// request is not finished then.
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

    /// Why a request with these cannot be sent.
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

    /// What frames, routes, authenticates, conditions or describes a message is needed before its body.
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

extension RequestStep {
    /// Sends fields behind the body (RFC 9110 §6.5): what is known only once all of it was read, as its checksum.
    ///
    ///     .file("video.mp4") |> .trailers("Repr-Digest") { ["Repr-Digest": digest.value] }
    ///
    /// The names are announced in the field `Trailer`. The body is sent in chunks, whether its length is known or not,
    /// and the request over HTTP/1.1 alone. A redirect that repeats the body repeats them; one to another origin drops
    /// them, unless `Trailer` is listed in `RedirectPolicy.crossOriginHeaders`. Not every server reads them, and
    /// proxies may drop them.
    ///
    /// It fails with `.invalidRequest` if there is no body, or a name is invalid or not allowed in trailers; with
    /// `.unsupported` over URLSession, which cannot send them; with `.body` if `make` throws, or returns a field of
    /// another name or an invalid value: the server then gets no complete request.
    ///
    /// - Parameters:
    ///   - names: Of all fields that `make` may give.
    ///   - make: Runs on the thread that sends, behind the last byte of the body, once for each time it is sent.
    public static func trailers(
        _ names: String..., make: @escaping @Sendable () throws -> HTTPHeaders
    ) -> RequestStep {
        RequestStep { $0.trailers = RequestTrailers(names: names, make: make) }
    }
}
