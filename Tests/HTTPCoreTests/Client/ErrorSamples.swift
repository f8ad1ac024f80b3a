import HTTPCore

/// A call to a host with secrets in its URL, as errors record it.
enum ErrorSample {
    static let request: Request = {
        do {
            return try Request(.get("https://user:secret@api.example:8443/items?token=secret&page=2#secret"))
        } catch { fatalError("\(error)") }
    }()

    static func record(
        _ phase: CallActivity, engine: String? = nil, address: String? = nil, method: HTTPMethod = .get
    ) -> CallRecord {
        var record = CallRecord(request, phase: phase, engine: engine.map { .init(code: 56, message: $0) })
        record.metrics.remoteAddress = address
        record.method = method
        return record
    }
}
