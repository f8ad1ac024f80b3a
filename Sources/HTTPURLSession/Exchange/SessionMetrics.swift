import HTTPCore
import HTTPEngine
import HTTPSupport

/// The figures of an exchange that can be measured outside the engine.
struct SessionMetrics {
    private var firstByte = Duration.zero
    private var complete = Duration.zero

    mutating func note(_ answer: SessionAnswer, at time: Duration) {
        if answer.head != nil, firstByte == .zero { firstByte = time }
    }

    mutating func end(at time: Duration) { complete = time }

    func metrics(_ answer: SessionAnswer, _ plan: CallPlan, callStart: TimePoint) -> Metrics {
        var metrics = Metrics()
        metrics.timings.firstByte = firstByte
        metrics.timings.complete = complete
        metrics.total = callStart.duration(to: .now)
        metrics.timings.finished = metrics.total - plan.start
        metrics.bytesSent = answer.sentCount
        metrics.bytesReceived = Int64(answer.receiver.headByteCount) + answer.receivedCount
        metrics.attempts = plan.attempts
        plan.complete(&metrics)
        return metrics
    }
}
