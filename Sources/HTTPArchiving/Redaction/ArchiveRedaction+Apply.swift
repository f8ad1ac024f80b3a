import HTTPFoundation

extension ArchiveRedaction {
    /// The request without its secrets. Masked values stay unchanged.
    public func redacted(_ request: HTTPArchive.Request) -> HTTPArchive.Request {
        var request = request
        request.url = url(request.url)
        request.queryString = request.queryString.map(redactedItem)
        request.headers = request.headers.map(redacted)
        request.cookies = request.cookies.map(redacted)
        let coding = request.headers.contentCoding
        request.postData = request.postData.map { redacted($0, coding: coding) }
        request.comment = request.comment.map(freeText)
        edit(&request)
        return request
    }

    /// The response without its secrets.
    public func redacted(_ response: HTTPArchive.Response) -> HTTPArchive.Response {
        var response = response
        response.headers = response.headers.map(redacted)
        response.trailers = response.trailers?.map(redacted)
        response.cookies = response.cookies.map(redacted)
        response.redirectURL = url(response.redirectURL)
        response.content = redacted(response.content, coding: response.headers.contentCoding)
        response.comment = response.comment.map(freeText)
        response.changeFailureTexts(freeText)
        edit(&response)
        return response
    }

    /// The entry without its secrets.
    public func redacted(_ entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
        var entry = entry
        entry.request = redacted(entry.request)
        entry.response = redacted(entry.response)
        entry.comment = entry.comment.map(freeText)
        return entry
    }

    private func redactedItem(_ item: HTTPArchive.Parameter) -> HTTPArchive.Parameter {
        if masksQuery(item.name) { return item.masked }
        var item = item
        item.value = members(url(item.value))
        return item
    }

    private func redacted(_ cookie: HTTPArchive.Cookie) -> HTTPArchive.Cookie {
        guard !cookie.value.isEmpty else { return cookie }
        var cookie = cookie
        cookie.value = masksCookie(cookie.name) ? Self.mask : QueryMask.apply(to: cookie.value, masksQuery)
        return cookie
    }

    private func redacted(_ field: HTTPArchive.Parameter) -> HTTPArchive.Parameter {
        var field = field
        switch field.name.lowercased() {
        case "cookie" where !keeps("cookie"):
            field.value = field.value.split(separator: ";", omittingEmptySubsequences: false).map(cookiePair)
                .joined(separator: ";")
        case "set-cookie" where !keeps("set-cookie"):
            // Several may be joined by line breaks, as Chrome does.
            field.value = field.lines.map(setCookie).joined(separator: "\n")
        case "authorization" where masksHeader(field.name), "proxy-authorization" where masksHeader(field.name):
            // The scheme is not secret, and shows what was recorded.
            let scheme = field.value.prefix { $0 != " " }
            field.value = scheme.count < field.value.count ? scheme + " " + Self.mask : Self.mask
        case _ where masksHeader(field.name): return field.masked
        case "location", "content-location", "referer", "destination", ":path":
            field.value = url(field.value)
        default: field.value = QueryMask.apply(to: field.value, masksQuery)
        }
        return field
    }

    private func cookiePair(_ pair: Substring) -> String {
        // Without a name all of it is the value (RFC 6265bis §5.6).
        guard let equals = pair.firstIndex(of: "=") else {
            return masksCookie("") && pair.contains { $0 != " " } ? Self.mask : String(pair)
        }
        let name = pair[..<equals].drop { $0 == " " }
        return masksCookie(name) ? pair[...equals] + Self.mask : QueryMask.apply(to: String(pair), masksQuery)
    }

    /// Its attributes stay, because a cookie jar uses them.
    private func setCookie(_ field: Substring) -> String {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        return parts.indices.map { index in
            if index == 0 { return cookiePair(parts[index]) }
            // Or joined by commas, as Safari does. A date has a comma, too, but no equals sign after it.
            guard let comma = parts[index].firstRange(of: ", ") else { return String(parts[index]) }
            let rest = parts[index][comma.upperBound...]
            return parts[index][..<comma.upperBound] + (rest.contains("=") ? cookiePair(rest) : String(rest))
        }.joined(separator: ";")
    }

    private func redacted(_ body: HTTPArchive.PostData, coding: String?) -> HTTPArchive.PostData {
        var masked = body
        if let coding, masksAnything, body.encoding != nil, !body.text.isEmpty, BodyKind(body.mimeType).isTextual {
            (masked.text, masked.encoding, masked.params) = ("", nil, nil)
            masked.comment = Self.hidden(by: coding)
            return masked
        }
        masked.params = body.params?.map { field in
            var field = field
            field.value = field.value.map { masksQuery(field.name) ? Self.mask : freeText($0) }
            return field
        }
        masked.text = self.body(body.text, type: body.mimeType, encoding: body.encoding)
        masked.comment = body.comment.map(freeText)
        return masked
    }

    private func redacted(_ content: HTTPArchive.Content, coding: String?) -> HTTPArchive.Content {
        var masked = content
        // A decoded body keeps the field, so the bytes must be coded, too.
        if let coding, masksAnything, content.encoding != nil, BodyKind(content.mimeType).isTextual,
            content.text.flatMap({ Data(base64Encoded: $0, options: .ignoreUnknownCharacters) })?.isCompressed ?? false
        {
            (masked.text, masked.encoding, masked.comment) = (nil, nil, Self.hidden(by: coding))
            return masked
        }
        masked.text = content.text.map { body($0, type: content.mimeType, encoding: content.encoding) }
        masked.comment = content.comment.map(freeText)
        return masked
    }

    private static func hidden(by coding: String) -> String {
        "not kept: its content coding, \(coding), hides secrets that would be masked"
    }

    private func body(_ text: String, type: String, encoding: String?) -> String {
        let kind = BodyKind(type)
        guard encoding != nil else { return self.text(text, kind) }
        // Text in another character set, or a form with a file.
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters),
            kind.isTextual || kind.text(data) != nil,
            // A binary property list has offsets, which a mask of another length would break.
            !data.starts(with: "bplist".utf8)
        else { return text }
        let wide = WideText(data)
        let bytes = wide?.text ?? ByteText(data).text
        let masked = self.text(bytes, kind)
        if masked == bytes { return text }
        return (wide?.data(masked) ?? ByteText.data(masked)).base64EncodedString()
    }

    private func text(_ text: String, _ kind: BodyKind) -> String {
        if kind.isForm {
            return QueryMask.applyToForm(text, masksQuery, content: members)
        }
        if kind.isMultipart {
            return MultipartMask.apply(
                to: text, boundary: kind.boundary, masksQuery, line: fieldLine, content: freeText)
        }
        return freeText(kind.isXML || text.hasPrefix("<?xml") ? ElementMask.apply(to: text, bodyTreatment) : text)
    }

    /// A line of a head within a body; another one than `name: value` is text.
    private func fieldLine(_ line: Substring) -> String {
        guard let colon = line.firstIndex(of: ":"), ASCII.isToken(line[..<colon]) else { return freeText(String(line)) }
        let value = line[colon...].dropFirst().drop { $0 == " " }
        let field = redacted(HTTPArchive.Parameter(String(line[..<colon]), String(value)))
        return line[..<value.startIndex] + field.value
    }

    private func freeText(_ text: String) -> String { QueryMask.apply(to: members(text), isItem: true, masksQuery) }
    private func url(_ text: String) -> String { QueryMask.applyToURL(text, masksQuery, content: members) }
    private func members(_ text: String) -> String { MemberMask.apply(to: text, bodyTreatment) }
}

extension Data {
    /// Whether it begins as gzip, zstd or zlib data does. Brotli has no mark.
    fileprivate var isCompressed: Bool {
        let marks: [[UInt8]] = [
            [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0x78, 0x01], [0x78, 0x5E], [0x78, 0x9C], [0x78, 0xDA],
        ]
        return marks.contains(where: starts)
    }
}

extension [HTTPArchive.Parameter] {
    /// The coding of the body below these fields (RFC 9110 §8.4); nil for none.
    fileprivate var contentCoding: String? {
        let values = filter { $0.name.lowercased() == "content-encoding" }.map(\.value)
        let coding = values.joined(separator: ", ")
        return coding.isEmpty || coding.lowercased() == "identity" ? nil : coding
    }
}

extension HTTPArchive.Response {
    /// Changes what says why there is no response: it may cite a URL, or a line that the server sent.
    mutating func changeFailureTexts(_ change: (String) -> String) {
        error = error.map(change)
        guard var failure else { return }
        failure.reason = failure.reason.map(change)
        failure.engine = failure.engine.map(change)
        self.failure = failure
    }
}

extension HTTPArchive.Parameter {
    fileprivate var masked: HTTPArchive.Parameter {
        var copy = self
        if !value.isEmpty { copy.value = ArchiveRedaction.mask }
        return copy
    }
}
