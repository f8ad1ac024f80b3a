import HTTPFoundation

/// A finished call and its entries: one for each redirect that was followed, and one for the outcome.
struct RecordedCall {
    let request: Request
    let outcome: Result<Response, HTTPError>
    let started: Date
    let requestBody: ArchivedBody
    let responseBody: ArchivedBody

    /// Empty if there is nothing to replay: nothing was sent, or the caller cancelled.
    var entries: [HTTPArchive.Entry] {
        if let response = outcome.received { return hops(response.redirects, response.history) + [entry(response)] }
        guard case .failure(let error) = outcome, let response = HTTPArchive.Response(error) else { return [] }
        return hops(error.record?.redirects ?? [], error.history) + [entry(error, response)]
    }

    /// The redirects of the call: the last redirected exchanges in the history, as many as the response or the error
    /// names. Attempts that were retried are not recorded: a replay would use them in place of the result of the call.
    private func hops(_ redirects: [RedirectHop], _ history: CallHistory?) -> [HTTPArchive.Entry] {
        let attempts = (history?.attempts ?? []).filter { $0.redirect != nil }.suffix(redirects.count)
        let missing = redirects.count - attempts.count
        return redirects.enumerated().map { index, hop in
            let attempt = index < missing ? nil : attempts[attempts.startIndex + index - missing]
            return HTTPArchive.Entry(
                startedDateTime: ArchiveTime.text(started.addingTimeInterval(attempt?.start.inSeconds ?? 0)),
                request: asked(hop.method, hop.url), response: HTTPArchive.Response(hop),
                timings: attempt.map(HTTPArchive.Timings.init) ?? HTTPArchive.Timings(),
                serverIPAddress: attempt?.remoteAddress)
        }
    }

    private func entry(_ response: Response) -> HTTPArchive.Entry {
        let last = response.request
        let isFirst = response.redirects.isEmpty
        var asked = isFirst ? asked(request.method, request.url) : asked(last.method, last.url, headers: last.headers)
        if last.cookies != nil { asked.take(cookies: last.withSentCookies.headers) }
        return entry(
            asked, HTTPArchive.Response(response, body: responseBody), response.metrics, response.history)
    }

    private func entry(_ error: HTTPError, _ response: HTTPArchive.Response) -> HTTPArchive.Entry {
        let method = error.record?.method ?? request.method
        let target = error.record?.redirects.last?.location ?? request.url
        return entry(asked(method, target), response, error.record?.metrics ?? Metrics(), error.history)
    }

    private func entry(
        _ asked: HTTPArchive.Request, _ response: HTTPArchive.Response, _ metrics: Metrics, _ history: CallHistory?
    ) -> HTTPArchive.Entry {
        // Nil for a call that ended between two exchanges, or before the first.
        let last = history?.attempts.last { $0.number == history?.attemptCount }
        return HTTPArchive.Entry(
            startedDateTime: ArchiveTime.text(started.addingTimeInterval((last?.start ?? metrics.start).inSeconds)),
            request: asked, response: response, timings: last.map(HTTPArchive.Timings.init) ?? HTTPArchive.Timings(),
            serverIPAddress: metrics.remoteAddress, connection: metrics.localPort.map { "\($0)" })
    }

    /// The request of one exchange. Another origin gets fewer header fields; it is not known here which ones, but those
    /// that tell how to read the body, whose secrets are masked.
    private func asked(_ method: HTTPMethod, _ url: HTTPURL, headers: HTTPHeaders? = nil) -> HTTPArchive.Request {
        if method == request.method, url == request.url { return HTTPArchive.Request(request, body: requestBody) }
        let repeatsBody = method == request.method
        let kept = request.headers.filter { field in
            url.origin == request.url.origin
                || (repeatsBody && ["Content-Type", "Content-Encoding"].contains(where: field.isNamed))
        }
        return HTTPArchive.Request(
            method: method.rawValue, url: url.string, headers: headers ?? HTTPHeaders(kept),
            body: repeatsBody ? requestBody : .none)
    }
}
