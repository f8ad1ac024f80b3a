import HTTPFoundation

/// A secret text in the spellings in which it may occur in an exchange.
struct SecretText {
    private let spellings: [String]
    /// The same, as a text of bytes.
    private let bytes: [String]
    private let mask: String

    init(_ secret: String, mask: String) {
        let inForm = FormEncoding.encode([QueryItem("", secret)]).dropFirst()
        // Some encoders escape slashes, and some do not.
        let quoted = try? JSONEncoder().encode(secret)
        let inJSON = quoted.map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
        let encoded = [
            PercentEncoding.component(secret), String(inForm), inJSON, inJSON?.replacing(#"\/"#, with: "/"),
        ]
        spellings = encoded.reduce(into: [secret]) { all, spelling in
            if let spelling, !all.contains(spelling) { all.append(spelling) }
        }
        bytes = spellings.map { ByteText(Data($0.utf8)).text }
        self.mask = mask
    }

    func masked(_ text: String) -> String {
        spellings.reduce(text) { $0.replacing($1, with: mask) }
    }

    /// A body, which may be base64.
    fileprivate func masked(_ text: String, encoding: String?) -> String {
        guard encoding == "base64" else { return masked(text) }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else { return text }
        let content = ByteText(data).text
        let masked = bytes.reduce(content) { $0.replacing($1, with: mask) }
        return masked == content ? text : ByteText.data(masked).base64EncodedString()
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
