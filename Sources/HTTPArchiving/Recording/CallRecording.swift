import HTTPFoundation

/// A running call, and its archive entries without secrets.
struct CallRecording: Sendable {
    private let request: Request
    private let redaction: ArchiveRedaction
    private let limit: Int
    private let started = Date()
    private let upload: BodyCapture
    private let download: BodyCapture

    /// `limit`: Of a larger body only the length is kept.
    init(_ request: Request, _ redaction: ArchiveRedaction, bodyLimit limit: Int) {
        self.request = request
        self.redaction = redaction
        self.limit = limit
        (upload, download) = (BodyCapture(limit: limit), BodyCapture(limit: limit))
    }

    /// The request to send instead of the caller's, with its bodies captured.
    var sent: Request { request.noting(upload: upload, download: download) }

    func entries(of outcome: Result<Response, HTTPError>) -> [HTTPArchive.Entry] {
        let call = RecordedCall(
            request: request, outcome: outcome, started: started,
            requestBody: request.body.hasStream ? upload.body ?? .none : request.body.archived(limit: limit),
            responseBody: body(of: outcome))
        return call.entries.map(redaction.redacted)
    }

    private func body(of outcome: Result<Response, HTTPError>) -> ArchivedBody {
        guard let response = outcome.received else { return .none }
        // What could not be decoded is only a part of what came.
        let isPart = if case .failure(.decoding) = outcome { true } else { false }
        if isPart || response.body.isEmpty, let body = download.body(of: response.status) { return body }
        guard response.body.count <= limit else { return .tooLarge(Int64(response.body.count), limit: limit) }
        return .data(response.body)
    }
}
