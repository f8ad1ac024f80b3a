import HTTPFoundation

/// A recorded response as a transport would have returned it.
struct ReplayedResponse {
    let recorded: HTTPArchive.Response
    /// Whether the archive has the content that a browser had stored, behind its own question whether that still holds.
    private let isFromStore: Bool

    init(recorded: HTTPArchive.Response, to request: Request) {
        self.recorded = recorded
        isFromStore =
            recorded.status == 304 && recorded.content.text?.isEmpty == false
            && !request.headers.contains("If-None-Match") && !request.headers.contains("If-Modified-Since")
    }

    /// A caller who asked without a condition gets the content, as the page in the browser did.
    var status: Int { isFromStore ? 200 : recorded.status }

    var reason: String { isFromStore ? "OK" : recorded.statusText }

    var version: HTTPVersion { Self.version(recorded.httpVersion) }

    /// The content after content decoding; nil if the archive does not contain it.
    var body: Data? {
        guard let text = recorded.content.text else { return recorded.content.size > 0 ? nil : Data() }
        guard recorded.content.encoding == "base64" else { return Data(text.utf8) }
        return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
    }

    /// The fields as a transport returns them: without HTTP/2 pseudo-fields, fields joined by a browser split, and
    /// adapted to the decoded body.
    func headers(bodyLength: Int?) -> HTTPHeaders {
        var headers = Self.headers(recorded.headers)
        if isFromStore, !headers.contains("Content-Type"), !recorded.content.mimeType.isEmpty {
            headers["Content-Type"] = recorded.content.mimeType
        }
        // The archive stores text as UTF-8, whatever its original encoding.
        if recorded.content.text != nil, recorded.content.encoding == nil,
            let type = headers["Content-Type"], let charset = MediaType(type)?.charset,
            !["utf-8", "utf8", "us-ascii"].contains(charset)
        {
            headers["Content-Type"] = Self.inUTF8(type)
        }
        if let bodyLength, headers.contains("Content-Length"), !headers.contains("Content-Encoding") {
            headers["Content-Length"] = String(bodyLength)
        }
        return headers
    }

    /// The media type with this character set in place of its own.
    private static func inUTF8(_ type: String) -> String {
        type.split(separator: ";").map { part in
            part.drop { $0 == " " }.lowercased().hasPrefix("charset=") ? " charset=utf-8" : String(part)
        }.joined(separator: ";")
    }

    var trailers: HTTPHeaders { Self.headers(recorded.trailers ?? []) }

    private static func headers(_ fields: [HTTPArchive.Parameter]) -> HTTPHeaders {
        HTTPHeaders(
            fields.filter { !$0.name.hasPrefix(":") }.flatMap { field in
                // Chromium joins fields of one name by line breaks.
                field.lines.map { HTTPHeaders.Field(name: field.name, value: String(ASCII.trimmed($0))) }
            })
    }

    /// `HTTP/1.1`, `http/2.0`, `h2`, `h3-29`; anything else counts as HTTP/1.1.
    private static func version(_ text: String) -> HTTPVersion {
        let text = text.lowercased()
        let number = text.hasPrefix("http/") ? text.dropFirst(5) : text.hasPrefix("h") ? text.dropFirst() : ""
        switch number.prefix(while: \.isNumber) {
        case "2": return .http2
        case "3": return .http3
        case "1": return number.hasPrefix("1.0") ? .http1_0 : .http1_1
        default: return .http1_1
        }
    }
}

extension HTTPArchive.Parameter {
    /// The values, if there are several.
    var lines: [Substring] {
        value.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    }
}
