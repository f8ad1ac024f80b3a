import HTTPFoundation

/// A secret text in the spellings in which it may occur in an exchange. They are compared by bytes: a combining mark behind
/// the text does not hide it.
struct SecretText {
    private let spellings: [[UInt8]]
    private let mask: [UInt8]

    init(_ secret: String, mask: String) {
        let inURL = PercentEncoding.component(secret)
        let inForm = String(FormEncoding.encode([QueryItem("", secret)]).dropFirst())
        // Some encoders escape slashes, and some do not.
        let quoted = try? JSONEncoder().encode(secret)
        let inJSON = quoted.map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) } ?? secret
        let all = [
            secret, inURL, Self.withSmallEscapes(inURL), inForm, Self.withSmallEscapes(inForm), inJSON,
            inJSON.replacing(#"\/"#, with: "/"),
        ]
        spellings = all.reduce(into: []) { spellings, spelling in
            if !spellings.contains(Array(spelling.utf8)) { spellings.append(Array(spelling.utf8)) }
        }
        self.mask = Array(mask.utf8)
    }

    /// The escapes of .NET: `%2f`.
    private static func withSmallEscapes(_ encoded: String) -> String {
        let parts = encoded.split(separator: "%", omittingEmptySubsequences: false)
        return parts[0] + parts.dropFirst().map { "%" + $0.prefix(2).lowercased() + $0.dropFirst(2) }.joined()
    }

    func masked(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let masked = masked(bytes)
        return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
    }

    private func masked(_ bytes: [UInt8]) -> [UInt8] { spellings.reduce(bytes, masked) }

    /// Looks for the first byte of the spelling, at the speed of the C library.
    private func masked(_ bytes: [UInt8], _ spelling: [UInt8]) -> [UInt8] {
        guard let first = spelling.first else { return bytes }
        var (masked, rest, place) = ([UInt8](), 0, 0)
        while let found = bytes.next(first, from: place) {
            guard bytes[found...].starts(with: spelling) else {
                place = found + 1
                continue
            }
            masked += bytes[rest..<found] + mask
            rest = found + spelling.count
            place = rest
        }
        return rest == 0 ? bytes : masked + bytes[rest...]
    }

    /// A body, which may be base64.
    fileprivate func masked(_ text: String, encoding: String?) -> String {
        guard encoding == "base64" else { return masked(text) }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else { return text }
        let content = Array(data)
        let masked = masked(content)
        return masked == content ? text : Data(masked).base64EncodedString()
    }

    fileprivate func masked(_ field: HTTPArchive.Parameter) -> HTTPArchive.Parameter {
        var copy = field
        copy.value = masked(field.value)
        copy.comment = field.comment.map(masked)
        return copy
    }

    fileprivate func masked(_ cookie: HTTPArchive.Cookie) -> HTTPArchive.Cookie {
        var copy = cookie
        copy.value = masked(cookie.value)
        return copy
    }
}

extension HTTPArchive.Request {
    mutating func mask(_ secret: SecretText) {
        url = secret.masked(url)
        headers = headers.map(secret.masked)
        cookies = cookies.map(secret.masked)
        queryString = queryString.map { item in
            var item = secret.masked(item)
            item.name = secret.masked(item.name)
            return item
        }
        comment = comment.map(secret.masked)
        guard var body = postData else { return }
        body.text = secret.masked(body.text, encoding: body.encoding)
        body.params = body.params?.map { field in
            var field = field
            field.name = secret.masked(field.name)
            field.value = field.value.map(secret.masked)
            field.fileName = field.fileName.map(secret.masked)
            return field
        }
        body.comment = body.comment.map(secret.masked)
        postData = body
    }
}

extension HTTPArchive.Response {
    mutating func mask(_ secret: SecretText) {
        headers = headers.map(secret.masked)
        trailers = trailers?.map(secret.masked)
        cookies = cookies.map(secret.masked)
        redirectURL = secret.masked(redirectURL)
        changeFailureTexts(secret.masked)
        comment = comment.map(secret.masked)
        content.comment = content.comment.map(secret.masked)
        content.text = content.text.map { [content] in secret.masked($0, encoding: content.encoding) }
    }
}
