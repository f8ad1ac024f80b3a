import HTTPEngine
import HTTPFoundation

/// A scripted response, unprocessed.
struct StubResponse: Sendable {
    var status: HTTPStatus
    var reason = ""
    var version = HTTPVersion.http1_1
    var headers: HTTPHeaders = [:]
    var trailers: HTTPHeaders = [:]
    /// The body, in the pieces in which it arrives.
    var pieces: [Data] = []
    /// The announced length; nil for none.
    var length: Int?
    /// The number of bytes after which the body breaks off; nil if it does not.
    var cut: Int?
}

extension StubResponse {
    init(_ response: Response) {
        self.init(
            status: response.status, reason: response.reasonPhrase, version: response.version,
            headers: response.headers, trailers: response.trailers, pieces: [response.body], length: response.body.count
        )
    }

    /// Whether it says that what was asked is done: also by leading to the result (RFC 9110 §15.4.4).
    var isDone: Bool { status.isSuccess || status == .seeOther }

    var arriving: [Data] {
        guard var left = cut else { return pieces }
        return pieces.map { piece in
            defer { left -= min(left, piece.count) }
            return piece.prefix(left)
        }
    }

    /// Why no server can send it, as an answer to a request with this method; nil if one can.
    func defect(answering method: HTTPMethod) -> String? {
        // Interim responses are passed over by a transport.
        guard (200...999).contains(status.rawValue) else {
            return "its status is \(status): that of a final response is from 200 to 999 (RFC 9110 §15)"
        }
        if let defect = Self.defect(of: headers) ?? Self.defect(of: trailers) { return defect }
        let count = pieces.reduce(0) { $0 + $1.count }
        if let cut, cut >= count { return "it is truncated after \(cut) bytes, and its body has only \(count)" }
        // One with two lengths is an error of the call, as from a server.
        guard headers.contains("Content-Length"),
            let head = try? ResponseHead(version: version, status: status, headers: headers),
            let length = head.contentLength, head.mayHaveBody(answering: method), !head.isEncoded
        else { return nil }
        return length == count
            ? nil : "its Content-Length is \(length), and its body has \(count) bytes: leave the field out"
    }

    private static func defect(of fields: HTTPHeaders) -> String? {
        for field in fields {
            guard ASCII.isToken(field.name) else {
                return "its header name \(ASCII.quoted(field.name)) is not a token (RFC 9110 §5.1)"
            }
            guard !ASCII.isFieldValue(field.value) else { continue }
            if field.value.utf8.contains(where: { $0 == 0x00 || $0 == 0x0A || $0 == 0x0D }) {
                return "its header \(field.name) has a line break or NUL in it"
            }
            // Other control characters come from real servers, too.
            if [field.value.utf8.first, field.value.utf8.last].contains(where: { $0.map(ASCII.isBlank) ?? false }) {
                return "its header \(field.name) begins or ends with a space"
            }
        }
        return nil
    }

    /// Why it is incomplete; nil if it is not.
    var truncation: TruncatedBody.Reason? {
        let count = pieces.reduce(0) { $0 + $1.count }
        guard let cut, cut < count else { return nil }
        return length == nil ? .chunked : .contentLength(expected: Int64(count))
    }
}
