#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes calls and their archive entries, without secrets.
struct CallRecorder: Sendable {
    let redaction: ArchiveRedaction
    let bodyLimit: Int

    /// Begins to record a call of `request`.
    func begin(_ request: Request) -> Recording { Recording(request, by: self) }

    /// A running call.
    struct Recording: Sendable {
        private let recorder: CallRecorder
        private let request: Request
        private let started = Date()
        private let upload: BodyCapture
        private let download: BodyCapture

        fileprivate init(_ request: Request, by recorder: CallRecorder) {
            self.recorder = recorder
            self.request = request
            (upload, download) = (BodyCapture(limit: recorder.bodyLimit), BodyCapture(limit: recorder.bodyLimit))
        }

        /// The request to send instead of the caller's, with its bodies captured.
        var sent: Request { request.noting(upload: upload, download: download) }

        /// The record of a call that ended with `outcome`.
        func entries(of outcome: Result<Response, HTTPError>) -> [HTTPArchive.Entry] {
            let limit = recorder.bodyLimit
            let call = RecordedCall(
                request: request, outcome: outcome, started: started,
                requestBody: request.body.hasStream ? upload.body ?? .none : request.body.archived(limit: limit),
                responseBody: body(of: outcome, limit: limit))
            return call.entries.map(recorder.redaction.redacted)
        }

        private func body(of outcome: Result<Response, HTTPError>, limit: Int) -> ArchivedBody {
            guard let response = outcome.received else { return .none }
            // What could not be decoded is only a part of what came.
            let isPart = if case .failure(.decoding) = outcome { true } else { false }
            if isPart || response.body.isEmpty, let body = download.body(of: response.status) { return body }
            guard response.body.count <= limit else { return .tooLarge(Int64(response.body.count), limit: limit) }
            return .data(response.body)
        }
    }
}
