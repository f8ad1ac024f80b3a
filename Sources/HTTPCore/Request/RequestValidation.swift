/// The rules that a request must meet before it is sent. Each throws an error that names the invalid value.
package enum RequestValidation {
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    static func check(_ draft: MutableRequest) throws(Problem) {
        try checkMethod(draft)
        try checkHeaders(draft)
        try checkBody(draft.body)
        // The defaults are valid.
        guard draft.options !== RequestOptions.standard else { return }
        try checkOptions(draft.options.values)
        guard let trailers = draft[TrailersKey.self] else { return }
        if let defect = trailers.defect { throw Problem(description: defect) }
        if draft.body.isEmpty { throw Problem(description: "trailer fields follow a body, and there is none") }
    }

    package static func url(of draft: MutableRequest) throws(Problem) -> HTTPURL {
        let url: HTTPURL
        do {
            if draft.baseURL == nil, let plain = HTTPURL.plain(draft.url, appending: draft.query) { return plain }
            url =
                if let base = draft.baseURL { try joined(base, draft.url) } else {
                    try HTTPURL(draft.url, spelling: draft.urlSpelling)
                }
        } catch {
            throw Problem(description: "the \(faultyPart(of: draft)) \(error)")
        }
        return url.appendingQuery(draft.query)
    }

    /// What an error of the URL is about: the place in it is that in the text that a program gave.
    private static func faultyPart(of draft: MutableRequest) -> String {
        guard let base = draft.baseURL, (try? HTTPURL(parsing: base)) != nil else {
            return "URL \(ASCII.quoted(urlText(of: draft)))"
        }
        let isURL = HTTPURL.hasScheme(draft.url) || draft.url.utf8.starts(with: "//".utf8)
        return (isURL ? "URL " : "path ") + ASCII.quoted(Redaction.urlText(draft.url))
    }

    /// The whole URL if there is one, otherwise its parts; secrets masked.
    static func shownURL(of draft: MutableRequest) -> String {
        if let url = try? url(of: draft) { return url.description }
        return ASCII.printable(urlText(of: draft))
    }

    private static func urlText(of draft: MutableRequest) -> String {
        let url = Redaction.urlText(draft.url)
        return draft.baseURL.map { Redaction.urlText($0) + " + " + url } ?? url
    }

    /// The base counts as a directory, so that `https://host/v1` and `users` give `https://host/v1/users`.
    private static func joined(_ base: String, _ reference: String) throws(URLProblem) -> HTTPURL {
        if HTTPURL.hasScheme(reference) { return try HTTPURL(parsing: reference) }
        let base = try HTTPURL(parsing: base)
        guard !reference.isEmpty else { return base }
        let path = base.path.utf8.last == UInt8(ascii: "/") ? String(base.path) : base.path + "/"
        return try HTTPURL(origin: base.origin, target: path, userinfo: base.userinfo).resolving(
            reference, spelling: .strict)
    }

    private static func checkMethod(_ draft: MutableRequest) throws(Problem) {
        let name = draft.method.rawValue
        guard draft.method != .get else { return }
        guard ASCII.isToken(name) else {
            throw Problem(description: "the method \(ASCII.quoted(name)) is not a token (RFC 9110 §9.1)")
        }
        if draft.method == .connect {
            throw Problem(
                description: "CONNECT opens a tunnel and cannot be sent as a request: configure a proxy instead")
        }
        if draft.method == .trace, !draft.body.isEmpty {
            throw Problem(description: "a TRACE request carries no body (RFC 9110 §9.3.8)")
        }
        if draft.method == .head, !draft.body.isEmpty {
            throw Problem(description: "a HEAD request carries no body: servers differ in whether they read one")
        }
    }

    static func checkTrace(_ headers: HTTPHeaders) throws(Problem) {
        guard let name = ["Authorization", "Cookie"].first(where: headers.contains) else { return }
        throw Problem(description: "a TRACE request carries no \(name): the server sends it back (RFC 9110 §9.3.8)")
    }

    static func checkHeader(_ field: HTTPHeaders.Field) throws(Problem) {
        guard ASCII.isToken(field.name) else {
            throw Problem(description: "the header name \(ASCII.quoted(field.name)) is not a token (RFC 9110 §5.1)")
        }
        guard !ASCII.isFieldValue(field.value) else { return }
        for byte in field.value.utf8 where ASCII.isControl(byte) && byte != 0x09 {
            throw Problem(
                description: "the value of the header \(field.name) contains the control character \(ASCII.hex(byte))")
        }
        throw Problem(description: "the value of the header \(field.name) begins or ends with a space or tab")
    }

    private static func checkHeaders(_ draft: MutableRequest) throws(Problem) {
        var (hosts, types, credentials) = (0, 0, 0)
        for index in draft.headers.indices {
            let field = draft.headers[index]
            try checkHeader(field)
            // Few names have these lengths.
            switch field.name.utf8.count {
            case 4 where field.isNamed("Host"):
                hosts += 1
                try checkHost(field.value)
            case 12 where field.isNamed("Content-Type"):
                types += 1
                try checkBoundary(field, body: draft.body)
            case 13 where field.isNamed("Authorization"): credentials += 1
            case 14, 17, 19: try checkFraming(field, body: draft.body)
            default: break
            }
        }
        if hosts > 1 || types > 1 {
            throw Problem(description: "the header \(hosts > 1 ? "Host" : "Content-Type") is given more than once")
        }
        if credentials > 1 {
            throw Problem(
                description: "the header Authorization is given \(credentials) times, and servers differ in which one"
                    + " counts: set it, or remove the earlier one")
        }
    }

    /// A server may refuse any other (RFC 9112 §3.2), and another server may see another host in it.
    private static func checkHost(_ value: String) throws(Problem) {
        let end = HTTPURL.hostEnd(of: value[...]) ?? value.endIndex
        let (host, port) = (value[..<end].utf8, value[end...].utf8)
        let isAddress = host.first == UInt8(ascii: "[") && IPAddress.bytes(of: String(value[..<end]))?.count == 16
        let isName =
            host.allSatisfy { PercentEncoding.isUnreserved($0) || "%!$&'()*+,;=".utf8.contains($0) }
            && !PercentEncoding.decoded(host).isBroken
        let isPort = port.first ?? UInt8(ascii: ":") == UInt8(ascii: ":") && port.dropFirst().allSatisfy(ASCII.isDigit)
        guard isAddress || isName, isPort else {
            throw Problem(
                description: "the header Host is \(ASCII.quoted(value)): it must be a host, with or without a port, or"
                    + " empty (RFC 9112 §3.2)")
        }
    }

    /// The transport frames the message. A contradicting header could make two servers read different messages.
    private static func checkFraming(_ field: HTTPHeaders.Field, body: RequestBody) throws(Problem) {
        if field.isNamed("Content-Length"), body.length.map(String.init) != field.value {
            let length = body.length.map { "the body has \($0) bytes" } ?? "the body's length shows when it is sent"
            throw Problem(
                description: "the header Content-Length says \(ASCII.quoted(field.value)) and \(length):"
                    + " leave it out, it is set for you")
        }
        if field.isNamed("Transfer-Encoding") {
            throw Problem(description: "the header Transfer-Encoding is the transport's to set: leave it out")
        }
        if field.isNamed("Proxy-Authorization") {
            throw Problem(
                description: "the header Proxy-Authorization would reach the server, too: give the proxy's"
                    + " credentials in the proxy configuration")
        }
    }

    /// No server can read a form whose boundary it is not told (RFC 2046 §5.1.1).
    private static func checkBoundary(_ field: HTTPHeaders.Field, body: RequestBody) throws(Problem) {
        guard case .multipart(let form) = body.content else { return }
        let type = MediaType(field.value)
        let boundary = type?.parameters.first { $0.name == "boundary" }?.value
        // Bytes of no type may be a form.
        if boundary == form.boundary || type?.essence == "application/octet-stream" { return }
        throw Problem(
            description: "the header Content-Type says \(ASCII.quoted(field.value)), without the boundary of the form:"
                + " leave it out, it is set for you")
    }

    private static func checkTimeout(_ name: StaticString, _ value: Duration?) throws(Problem) {
        guard let value, value <= .zero else { return }
        throw Problem(description: "the \(name) timeout is \(value): it must be above zero, or nil for none")
    }

    private static func checkLimit(_ name: StaticString, _ value: Int) throws(Problem) {
        guard value < 0 else { return }
        throw Problem(description: "the \(name) limit is \(value) bytes: it cannot be negative")
    }

    static func checkBody(_ body: RequestBody) throws(Problem) {
        if let defect = body.defect { throw Problem(description: defect) }
        // The body supplies it, and it becomes a header unless the caller set one.
        if let type = body.contentType { try checkHeader(HTTPHeaders.Field(name: "Content-Type", value: type)) }
    }

    private static func checkOptions(_ options: RequestOptions.Values) throws(Problem) {
        try checkTimeout("connect", options.timeouts.connect)
        try checkTimeout("idle", options.timeouts.idle)
        try checkTimeout("total", options.timeouts.total)
        try checkLimit("header", options.limits.headerBytes)
        try checkLimit("body", options.limits.bodyBytes)
        try checkLimit("trailing bytes", options.limits.trailingCodedBytes)
        if let defect = options.destination.defect { throw Problem(description: defect) }
        if let ratio = options.limits.expansion, ratio < 1 {
            throw Problem(description: "the expansion limit is \(ratio): it must be at least 1, or nil for none")
        }
        if let wait = options.continueWait, wait < .zero {
            throw Problem(description: "the wait for 100 Continue is \(wait): it cannot be negative")
        }
        if options.redirects.limit < 0 {
            throw Problem(description: "the redirect limit is \(options.redirects.limit): it cannot be negative")
        }
    }
}
