import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes calls and the entries that tell of them, without their secrets.
struct CallRecorder: Sendable {
    let redaction: ArchiveRedaction
    let bodyLimit: Int

    @available(*, noasync)
    func perform(
        _ request: Request, by client: any HTTPClient
    ) -> (outcome: Result<Response, HTTPError>, entries: [HTTPArchive.Entry]) {
        let started = Date()
        let (upload, download) = (BodyCapture(limit: bodyLimit), BodyCapture(limit: bodyLimit))
        let outcome = client.executeRequest(request.noting(upload: upload, download: download))
        let requestBody = request.body.hasStream ? upload.body ?? .none : request.body.archived(limit: bodyLimit)
        let call = RecordedCall(
            request: request, outcome: outcome, started: started, requestBody: requestBody,
            responseBody: body(of: outcome, download))
        return (outcome, call.entries.map(redaction.redacted))
    }

    private func body(of outcome: Result<Response, HTTPError>, _ download: BodyCapture) -> ArchivedBody {
        guard let response = (try? outcome.get()) ?? outcome.refused else { return .none }
        if response.body.isEmpty, let body = download.body { return body }
        guard response.body.count <= bodyLimit else { return .tooLarge(Int64(response.body.count), limit: bodyLimit) }
        return .data(response.body)
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The response that was there and was not wanted.
    fileprivate var refused: Response? { if case .failure(let error) = self { error.response } else { nil } }
}
