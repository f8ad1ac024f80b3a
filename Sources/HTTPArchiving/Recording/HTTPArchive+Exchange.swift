import HTTPFoundation
import HTTPTesting

extension HTTPArchive.Request {
    /// The entry for `request`, whose body is known already.
    init(_ request: HTTPCore.Request, body: ArchivedBody) {
        self.init(
            method: request.method.rawValue, url: request.url.string, headers: request.headers, body: body,
            form: request.body.formFields)
    }

    init(
        method: String, url: String, headers: HTTPHeaders, body: ArchivedBody, form: [HTTPArchive.PostParameter]? = nil
    ) {
        self.init(
            method: method, url: url, cookies: Self.cookies(headers), headers: headers.map(HTTPArchive.Parameter.init),
            bodySize: body.size)
        if case .none = body { return }
        let type = headers["Content-Type"]
        let (text, encoding) = body.text(type)
        let fields = BodyKind(type).isForm && encoding == nil ? FormText.items(text, isForm: true) : nil
        postData = HTTPArchive.PostData(
            mimeType: type ?? "",
            params: form
                ?? (fields?.isEmpty == true ? nil : fields)?.map {
                    HTTPArchive.PostParameter(name: $0.name, value: $0.value ?? "")
                },
            text: text, encoding: encoding, comment: body.comment)
    }

    /// Takes the cookies that were sent, also those of a jar.
    mutating func take(cookies sent: HTTPHeaders) {
        headers.removeAll { ASCII.equalsIgnoringCase($0.name, "Cookie") }
        headers += sent.filter { $0.isNamed("Cookie") }.map(HTTPArchive.Parameter.init)
        cookies = Self.cookies(sent)
    }

    private static func cookies(_ headers: HTTPHeaders) -> [HTTPArchive.Cookie] {
        headers.values(for: "Cookie").flatMap { $0.split(separator: ";") }.map { HTTPArchive.Cookie(pair: $0) }
    }
}

extension HTTPArchive.Response {
    init(_ response: HTTPCore.Response, body: ArchivedBody) {
        let type = response.headers["Content-Type"]
        let (text, encoding) = body.text(type)
        let isKept = body.comment == nil
        self.init(
            status: response.status.rawValue, statusText: response.reasonPhrase,
            httpVersion: response.version.description,
            cookies: response.headers.values(for: "Set-Cookie").map { HTTPArchive.Cookie(setCookie: $0) },
            headers: response.headers.map(HTTPArchive.Parameter.init),
            content: HTTPArchive.Content(
                size: body.size, mimeType: type ?? "", text: isKept ? text : nil, encoding: isKept ? encoding : nil,
                comment: body.comment),
            redirectURL: response.status.isRedirection ? response.headers["Location"] ?? "" : "")
        let hasNoBody = response.request.method == .head || response.status == .notModified
        let isCoded = response.headers.contains("Content-Encoding") && !hasNoBody
        bodySize = isCoded ? response.headers["Content-Length"].flatMap(Int64.init) ?? -1 : body.size
        if isCoded, bodySize >= 0, body.size >= 0 { content.compression = body.size - bodySize }
        if !response.trailers.isEmpty { trailers = response.trailers.map(HTTPArchive.Parameter.init) }
    }

    /// In place of the response of a call that failed; nil for an error that the server did not cause.
    init?(_ error: HTTPError) {
        if case .redirect(let refused) = error {
            let location = refused.location?.sent
            self.init(status: refused.status.rawValue, redirectURL: location ?? "")
            headers = location.map { [HTTPArchive.Parameter("Location", $0)] } ?? []
        } else {
            guard let failure = HTTPArchive.Failure(error) else { return nil }
            self.init(status: 0, httpVersion: "")
            self.failure = failure
        }
        self.error = error.description
    }

    /// The response that redirected to `hop.location`, without its body.
    init(_ hop: RedirectHop) {
        let location = hop.location.sent
        let others = hop.headers.filter { !$0.isNamed("Location") && !RedirectHeaders.describesBody($0.name) }
        self.init(
            status: hop.status.rawValue,
            cookies: hop.headers.values(for: "Set-Cookie").map { HTTPArchive.Cookie(setCookie: $0) },
            headers: others.map(HTTPArchive.Parameter.init) + [HTTPArchive.Parameter("Location", location)],
            redirectURL: location)
        comment = "the body of a redirect that the client followed is not known"
    }
}

extension HTTPURL {
    /// The absolute URL, with its fragment.
    fileprivate var sent: String { string + (fragment.map { "#" + $0 } ?? "") }
}

extension HTTPArchive.Parameter {
    init(_ field: HTTPHeaders.Field) { self.init(field.name, field.value) }
}

extension HTTPArchive.Cookie {
    /// Without an equals sign all of it is the value (RFC 6265bis §5.6).
    init(pair: Substring) {
        let (name, value) = Self.split(pair)
        self = value.map { HTTPArchive.Cookie(name, $0) } ?? HTTPArchive.Cookie("", name)
    }

    init(setCookie: String) {
        let parts = setCookie.split(separator: ";", omittingEmptySubsequences: false)
        self.init(pair: parts[0])
        for (name, value) in parts.dropFirst().map(Self.split) {
            switch name.lowercased() {
            case "path": path = value ?? ""
            case "domain": domain = value ?? ""
            case "httponly": httpOnly = true
            case "secure": secure = true
            case "expires":
                let date = HTTPDate(value ?? "", now: Date().timeIntervalSince1970)
                expires = date.map { ArchiveTime.text(Date(timeIntervalSince1970: Double($0.unixTime))) }
            default: break
            }
        }
    }

    private static func split(_ pair: Substring) -> (name: String, value: String?) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0].drop { $0 == " " }), parts.count > 1 ? String(parts[1]) : nil)
    }
}

extension RequestBody {
    /// The fields of a form with files. Only short text is included, because some readers want a value always.
    fileprivate var formFields: [HTTPArchive.PostParameter]? {
        guard case .multipart(let form) = content else { return nil }
        return form.parts.map { part in
            var text = ""
            if case .data(let data) = part.body.content, part.filename == nil, data.count <= 4096 {
                text = String(validating: data, as: UTF8.self) ?? ""
            }
            return HTTPArchive.PostParameter(
                name: part.name, value: text, fileName: part.filename, contentType: part.body.contentType)
        }
    }
}
