import HTTPTesting

/// Why bytes are not an HTTP/1.1 request.
package struct MalformedRequest: Error, Hashable {
    let reason: String
}

/// The request line and header fields of a request (RFC 9112 §3 and §5), with the framing of the body.
///
/// Parsing is strict: anything that only a lenient server accepts is usually a mistake of the client under test.
package struct RequestHead: Sendable {
    package enum BodyLength: Hashable {
        case known(Int)
        case chunked
    }

    /// All bytes, from the method to the empty line.
    let bytes: [UInt8]
    package let method: HTTPMethod
    package let target: String
    let version: String
    let headers: HTTPHeaders
    package let bodyLength: BodyLength

    package init(parsing bytes: [UInt8]) throws(MalformedRequest) {
        self.bytes = bytes
        var lines = LineCursor(bytes)
        let line = try lines.next()
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw MalformedRequest(reason: "request line is not METHOD TARGET VERSION") }
        guard parts[0].withUnsafeBufferPointer(ASCII.isToken) else {
            throw MalformedRequest(reason: "method is not a token")
        }
        guard !parts[1].isEmpty, !parts[1].contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
            throw MalformedRequest(reason: "request target is empty or not printable ASCII")
        }
        method = HTTPMethod(rawValue: parts[0].text)
        target = parts[1].text
        guard Self.isTarget(target, of: method) else {
            let shown = Redaction.urlText(target)
            throw MalformedRequest(reason: "request target \(shown) has none of the forms of RFC 9112 §3.2")
        }
        version = parts[2].text
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw MalformedRequest(reason: "version \(version) is neither HTTP/1.1 nor HTTP/1.0")
        }
        headers = try HTTPHeaders(readingFrom: &lines)
        try Self.checkHost(in: headers, version: version)
        bodyLength = try Self.bodyLength(from: headers, version: version)
    }

    /// Whether the client awaits a 100 before it sends the body (RFC 9110 §10.1.1).
    var expectsContinue: Bool { version != "HTTP/1.0" && headers.hasToken("100-continue", in: "Expect") }

    /// Whether the client is ready to send another request on this connection (RFC 9112 §9.3).
    var allowsKeepAlive: Bool {
        if headers.hasToken("close", in: "Connection") { return false }
        return version != "HTTP/1.0" || headers.hasToken("keep-alive", in: "Connection")
    }

    /// An authority for CONNECT; else a path, a whole URL or, for OPTIONS, an asterisk. None has a fragment.
    private static func isTarget(_ target: String, of method: HTTPMethod) -> Bool {
        if target.contains("#") { return false }
        if method == .connect { return !target.contains("/") }
        let scheme = target.prefix { $0 != "/" && $0 != "?" }
        let isURL = scheme.hasSuffix(":") && scheme.count > 1 && target[scheme.endIndex...].hasPrefix("//")
        return target.hasPrefix("/") || isURL || (target == "*" && method == .options)
    }

    /// RFC 9112 §3.2: an HTTP/1.1 request has exactly one Host field.
    private static func checkHost(in headers: HTTPHeaders, version: String) throws(MalformedRequest) {
        let count = headers.values(for: "Host").count
        guard count == 1 || (count == 0 && version == "HTTP/1.0") else {
            throw MalformedRequest(reason: "\(count) Host fields")
        }
    }

    /// RFC 9112 §6.3, but stricter: both framing fields together are an error.
    private static func bodyLength(from headers: HTTPHeaders, version: String) throws(MalformedRequest) -> BodyLength {
        let lengths = headers.values(for: "Content-Length")
        if let coding = headers.combinedValue(for: "Transfer-Encoding") {
            guard lengths.isEmpty else { throw MalformedRequest(reason: "Content-Length beside Transfer-Encoding") }
            guard version != "HTTP/1.0" else { throw MalformedRequest(reason: "Transfer-Encoding in HTTP/1.0") }
            guard coding.lowercased() == "chunked" else {
                throw MalformedRequest(reason: "transfer coding \(coding) is not chunked")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .known(0) }
        let isNumber = !length.isEmpty && length.utf8.allSatisfy(ASCII.isDigit)
        guard lengths.count == 1, isNumber, let count = Int(length) else {
            throw MalformedRequest(reason: "Content-Length \(lengths.joined(separator: ", ")) is not one number")
        }
        return .known(count)
    }
}
