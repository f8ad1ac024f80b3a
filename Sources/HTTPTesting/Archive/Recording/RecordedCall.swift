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
            hops(response.redirects) + [entry(response)]
        case .failure(.decoding(let failure)): hops(failure.response.redirects) + [entry(failure.response)]
        case .failure(.redirect(let failure)): hops(failure.record.redirects) + [entry(failure)]
        case .failure(let error):
            HTTPArchive.Failure(error).map { hops(error.record?.redirects ?? []) + [entry(error, $0)] } ?? []
        }
    }

    private func hops(_ redirects: [RedirectHop]) -> [HTTPArchive.Entry] {
        redirects.map { hop in
            HTTPArchive.Entry(
                startedDateTime: ArchiveTime.text(started), request: asked(hop.method, hop.url),
                response: HTTPArchive.Response(hop))
        }
    }

    private func entry(_ response: Response) -> HTTPArchive.Entry {
        let (metrics, last) = (response.metrics, response.request)
        let isFirst = response.redirects.isEmpty
        return entry(
            isFirst ? asked(request.method, request.url) : asked(last.method, last.url, headers: last.headers),
            HTTPArchive.Response(response, body: responseBody), metrics)
    }

    private func entry(_ error: HTTPError, _ failure: HTTPArchive.Failure) -> HTTPArchive.Entry {
        var response = HTTPArchive.Response(status: 0, httpVersion: "")
        response.error = error.description
        response.failure = failure
        let method = error.record?.method ?? request.method
        return entry(asked(method, target(error.record)), response, error.record?.metrics ?? Metrics())
    }

    /// The redirect that was refused.
    private func entry(_ failure: RedirectFailure) -> HTTPArchive.Entry {
        var response = HTTPArchive.Response(status: failure.status.rawValue)
        if let location = failure.location {
            response.headers = [HTTPArchive.Parameter("Location", location)]
            response.redirectURL = location
        }
        response.error = HTTPError.redirect(failure).description
        return entry(asked(failure.record.method, target(failure.record)), response, failure.record.metrics)
    }

    private func entry(
        _ asked: HTTPArchive.Request, _ response: HTTPArchive.Response, _ metrics: Metrics
    ) -> HTTPArchive.Entry {
        let timings = HTTPArchive.Timings(metrics.timings)
        // The call's record begins with its first exchange; this is the last.
        let delay = max(metrics.total.inSeconds - timings.sum / 1000, 0)
        return HTTPArchive.Entry(
            startedDateTime: ArchiveTime.text(started.addingTimeInterval(delay)), request: asked, response: response,
            timings: timings, serverIPAddress: metrics.remoteAddress, connection: metrics.localPort.map { "\($0)" })
    }

    /// The target of the failed exchange.
    private func target(_ record: CallRecord?) -> HTTPURL { record?.redirects.last?.location ?? request.url }

    /// The request of one exchange. Another origin gets fewer header fields, and which ones is not known here.
    private func asked(_ method: HTTPMethod, _ url: HTTPURL, headers: HTTPHeaders? = nil) -> HTTPArchive.Request {
        if method == request.method, url == request.url { return HTTPArchive.Request(request, body: requestBody) }
        let headers = headers ?? (url.origin == request.url.origin ? request.headers : [:])
        let repeatsBody = method == request.method
        return HTTPArchive.Request(
            method: method.rawValue, url: url.string, headers: headers, body: repeatsBody ? requestBody : .none)
    }
}
