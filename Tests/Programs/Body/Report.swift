import HTTPCore

/// What came of it.
struct Report: Codable {
    /// The reason of a failure with a body, or the limit that was exceeded; any other failure in its own words.
    var failure: String?
    /// How many bytes of body were moved.
    var byteCount: Int64?
    /// How much more memory was in use at once, at the worst, than after an empty request.
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
        case .limitExceeded(let limit): failure = "limit \(limit.limit) \(limit.bytes)"
        default: failure = "\(error)"
        }
    }
}
