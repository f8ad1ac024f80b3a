import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A finished call and its entries: one for each redirect that was followed, and one for the outcome.
struct RecordedCall {
    let request: Request
    let outcome: Result<Response, HTTPError>
    let started: Date
    let requestBody: ArchivedBody
    let responseBody: ArchivedBody

    /// Empty if there is nothing to replay: nothing was sent, or the caller cancelled.
    var entries: [HTTPArchive.Entry] {
        switch outcome {
        case .success(let response), .failure(.unacceptableStatus(let response)):
            hops(response.redirects, response.history) + [entry(response)]
        case .failure(.decoding(let failure)):
            hops(failure.response.redirects, failure.response.history) + [entry(failure.response)]
        case .failure(.redirect(let failure)):
            hops(failure.record.redirects, HTTPError.redirect(failure).history) + [entry(failure)]
        case .failure(let error):
            HTTPArchive.Failure(error).map { hops(error.record?.redirects ?? [], error.history) + [entry(error, $0)] }
                ?? []
        }
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
        let (metrics, last) = (response.metrics, response.request)
        let isFirst = response.redirects.isEmpty
        return entry(
            isFirst ? asked(request.method, request.url) : asked(last.method, last.url, headers: last.headers),
            HTTPArchive.Response(response, body: responseBody), metrics, response.history)
    }

    private func entry(_ error: HTTPError, _ failure: HTTPArchive.Failure) -> HTTPArchive.Entry {
        var response = HTTPArchive.Response(status: 0, httpVersion: "")
        response.error = error.description
        response.failure = failure
        let method = error.record?.method ?? request.method
        return entry(asked(method, target(error.record)), response, error.record?.metrics ?? Metrics(), error.history)
    }

    /// The redirect that was refused.
    private func entry(_ failure: RedirectFailure) -> HTTPArchive.Entry {
        var response = HTTPArchive.Response(status: failure.status.rawValue)
        if let location = failure.location {
            response.headers = [HTTPArchive.Parameter("Location", location)]
            response.redirectURL = location
        }
        response.error = HTTPError.redirect(failure).description
        return entry(
            asked(failure.record.method, target(failure.record)), response, failure.record.metrics,
            HTTPError.redirect(failure).history)
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

    /// The target of the failed exchange.
    private func target(_ record: CallRecord?) -> HTTPURL { record?.redirects.last?.location ?? request.url }

    /// The request of one exchange. Another origin gets fewer header fields; it is not known here which ones.
    private func asked(_ method: HTTPMethod, _ url: HTTPURL, headers: HTTPHeaders? = nil) -> HTTPArchive.Request {
        if method == request.method, url == request.url { return HTTPArchive.Request(request, body: requestBody) }
        let headers = headers ?? (url.origin == request.url.origin ? request.headers : [:])
        let repeatsBody = method == request.method
        return HTTPArchive.Request(
            method: method.rawValue, url: url.string, headers: headers, body: repeatsBody ? requestBody : .none)
    }
}
