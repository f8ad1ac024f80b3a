import HTTPCore

/// The result of a run.
struct Report: Codable {
    /// The reason of a body failure, or the exceeded limit; the text of any other failure.
    var failure: String?
    /// The number of body bytes transferred.
    var byteCount: Int64?
    /// The peak memory in use, less that after an empty request.
    var growthKiB = 0

    init(byteCount: Int64?, growthKiB: Int = 0) {
        self.byteCount = byteCount
        self.growthKiB = growthKiB
    }

    init(failure: String) { self.failure = failure }

    init(_ error: HTTPError, growthKiB: Int = 0) {
        self.growthKiB = growthKiB
        switch error {
        case .body(let body): failure = "\(body.reason)"
        case .limitExceeded(let limit): failure = "limit \(limit.limit) \(limit.value)"
        default: failure = "\(error)"
        }
    }
}
