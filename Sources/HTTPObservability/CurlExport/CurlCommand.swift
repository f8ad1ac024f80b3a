/// The words of a curl command that sends a request.
struct CurlCommand {
    let request: Request
    let body: CurlBody?
    let revealsSecrets: Bool

    init(_ request: Request, revealingSecrets: Bool, bodyLimit: Int) {
        let sent = request.withSentCookies
        self.request = sent.headers == request.headers ? request.withCookies() : sent
        revealsSecrets = revealingSecrets
        body = CurlBody(request, revealingSecrets: revealingSecrets, limit: bodyLimit)
    }

    var line: String {
        let words = ["curl"] + versionWords + methodWords + headerWords + bodyWords + urlWords
        let command = words.joined(separator: " ")
        switch body {
        case .piped(let data): return "printf \(ShellQuoting.printfFormat(data)) | \(command)"
        // No file of that name exists, so nothing is sent until the user puts the right one there.
        case .note(let note): return "\(command) <\(ShellQuoting.word(note))"
        case .word, .file, nil: return command
        }
    }

    private var versionWords: [String] {
        switch request.version {
        case .automatic: []
        case .http1: ["--http1.1"]
        }
    }

    /// Whether the command uploads: with a method that gives a body a meaning, also an empty one.
    private var hasUpload: Bool { body != nil || request.method.definesContent }

    private var methodWords: [String] {
        if request.method == .head { return ["--head"] }
        // curl's defaults.
        if request.method == (hasUpload ? .post : .get) { return [] }
        return ["--request", ShellQuoting.word(request.method.rawValue)]
    }

    private var headerWords: [String] {
        var lines = request.headers.map { field in
            let value = revealsSecrets ? field.value : Redaction.headerValue(field.value, of: field.name)
            return value.isEmpty ? "\(field.name);" : "\(field.name): \(value)"
        }
        // curl adds these fields to an upload.
        if hasUpload, !request.headers.contains("Content-Type") { lines.append("Content-Type:") }
        if body != nil, request.continueWait != nil {
            lines.append("Expect: 100-continue")
        } else if body != nil, request.body.length.map({ $0 > 1024 }) ?? true, !request.headers.contains("Expect") {
            lines.append("Expect:")
        }
        let words = lines.flatMap { ["--header", ShellQuoting.word($0)] }
        let isCoded = !request.headers.contains("Accept-Encoding") && !request.headers.contains("Range")
        return isCoded ? words + ["--compressed"] : words
    }

    private var bodyWords: [String] {
        switch body {
        case .word(let text): ["--data-raw", ShellQuoting.word(text)]
        case .file(let path): ["--data-binary", ShellQuoting.word("@" + path)]
        case .piped, .note: ["--data-binary", "@-"]
        case nil: hasUpload ? ["--data-raw", "''"] : []
        }
    }

    private var urlWords: [String] {
        let url = revealsSecrets ? request.url.string : Redaction.url(request.url)
        // To curl, brackets are a pattern otherwise.
        return (url.utf8.contains(UInt8(ascii: "[")) ? ["--globoff"] : []) + [ShellQuoting.word(url)]
    }
}
