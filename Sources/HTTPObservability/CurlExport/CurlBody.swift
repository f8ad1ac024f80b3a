import HTTPFoundation

/// How a curl command gets the body of a request.
enum CurlBody: Equatable {
    /// As a word of the command.
    case word(String)
    /// Written into curl's standard input by `printf`, in octal where it is not printable.
    case piped(Data)
    /// The path of a file that curl reads.
    case file(String)
    /// A body that is not in the command: the user must put it into a file. The text says why.
    case note(String)
}

extension CurlBody {
    /// Nil for a request without a body. Unless `revealingSecrets`, secrets in a form are masked, and a body that
    /// mentions secrets or is not readable text is left out.
    init?(_ request: Request, revealingSecrets: Bool, limit: Int) {
        guard !request.body.isEmpty else { return nil }
        guard case .data(let data) = request.body.content else {
            self = Self.streamed(request.body)
            return
        }
        guard data.count <= limit else {
            self = .note("body of \(data.count) bytes, too long to show")
            return
        }
        let text = String(validating: data, as: UTF8.self)
        if revealingSecrets {
            self = text.flatMap { ShellQuoting.isPlain($0) ? .word($0) : nil } ?? .piped(data)
            return
        }
        let mediaType = request.headers["Content-Type"].flatMap(MediaType.init)
        guard let text, let shown = Self.withoutSecrets(text, mediaType) else {
            self = .note("body of \(data.count) bytes, not shown")
            return
        }
        self = ShellQuoting.isPlain(shown) ? .word(shown) : .piped(Data(shown.utf8))
    }

    private static func streamed(_ body: RequestBody) -> CurlBody {
        // To curl, a lone dash is the standard input.
        if case .file(let path) = body.content { return .file(path == "-" ? "./-" : path) }
        return .note(body.length.map { "body of \($0) bytes, made while it is sent" } ?? "body made while it is sent")
    }

    private static func withoutSecrets(_ text: String, _ mediaType: MediaType?) -> String? {
        if mediaType?.essence == "application/x-www-form-urlencoded" { return Redaction.maskedQuery(text[...]) }
        // The name of a part is in its head, which may look like any text.
        if mediaType?.essence.hasPrefix("multipart/") == true { return nil }
        if Redaction.mentionsSecret(text) || Redaction.hasSecret(inJSON: text) { return nil }
        // A body with another media type may still be XML, a form or JSON.
        return mediaType?.isJSON != true && Redaction.namesSecret(text) ? nil : text
    }
}
