extension HTTPArchive.Request {
    mutating func replace(_ secret: String, by mask: String) {
        url = url.replacing(secret, with: mask)
        headers = headers.map { $0.replacing(secret, by: mask) }
        queryString = queryString.map { $0.replacing(secret, by: mask) }
        guard var body = postData, body.encoding == nil else { return }
        body.text = body.text.replacing(secret, with: mask)
        body.params = body.params?.map { field in
            var field = field
            field.value = field.value?.replacing(secret, with: mask)
            return field
        }
        postData = body
    }
}

extension HTTPArchive.Response {
    mutating func replace(_ secret: String, by mask: String) {
        headers = headers.map { $0.replacing(secret, by: mask) }
        redirectURL = redirectURL.replacing(secret, with: mask)
        error = error?.replacing(secret, with: mask)
        if content.encoding == nil { content.text = content.text?.replacing(secret, with: mask) }
    }
}

extension HTTPArchive.Parameter {
    fileprivate func replacing(_ secret: String, by mask: String) -> HTTPArchive.Parameter {
        var copy = self
        copy.value = value.replacing(secret, with: mask)
        return copy
    }
}
