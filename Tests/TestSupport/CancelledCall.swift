import HTTPCore
import Testing

extension CallHistory {
    /// That of a call that was cancelled before its first exchange, after `wait`.
    package static func cancelled(in wait: CallWait) throws -> CallHistory {
        var record = CallRecord(try Request(.get("https://h.example/")), phase: .queued)
        record.metrics.attemptCount = 0
        record.metrics.insert(wait)
        return try #require(HTTPError.cancelled(record).history)
    }
}
