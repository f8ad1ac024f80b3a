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

    /// Begins to record a call of `request`.
    func begin(_ request: Request) -> Recording { Recording(request, by: self) }

    /// A call under way.
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

        /// The request to send in place of the caller's, which notes the bodies on their way.
        var sent: Request { request.noting(upload: upload, download: download) }

        /// What is kept of the call that came to `outcome`.
        func entries(of outcome: Result<Response, HTTPError>) -> [HTTPArchive.Entry] {
            let limit = recorder.bodyLimit
            let call = RecordedCall(
                request: request, outcome: outcome, started: started,
                requestBody: request.body.hasStream ? upload.body ?? .none : request.body.archived(limit: limit),
                responseBody: body(of: outcome, limit: limit))
            return call.entries.map(recorder.redaction.redacted)
        }

        private func body(of outcome: Result<Response, HTTPError>, limit: Int) -> ArchivedBody {
            guard let response = (try? outcome.get()) ?? outcome.refused else { return .none }
            if response.body.isEmpty, let body = download.body { return body }
            guard response.body.count <= limit else { return .tooLarge(Int64(response.body.count), limit: limit) }
            return .data(response.body)
        }
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The response that was there and was not wanted.
    fileprivate var refused: Response? { if case .failure(let error) = self { error.response } else { nil } }
}
