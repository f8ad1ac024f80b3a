import CLibcurl
import HTTPSupport

/// The moments of an exchange that libcurl does not record, and with them the timings of its phases.
struct ExchangeClock {
    private var start = TimePoint.now
    /// When the request was about to go out; nil before.
    private var ready: TimePoint?
    /// When the last part of the request's body was supplied; nil if it was sent with the head.
    private var sent: TimePoint?
    /// Knows when the handshake behind a tunnel began; nil if there is no tunnel, or if it is not known.
    var tunneledPeer: CurlTLSPeer?

    mutating func begin(at start: TimePoint) {
        self.start = start
        if ready != nil { ready = nil }
        if sent != nil { sent = nil }
    }

    mutating func noteReady() { ready = .now }

    /// False if it was noted before.
    mutating func noteSent() -> Bool {
        guard sent == nil else { return false }
        sent = .now
        return true
    }

    /// When the last handshake of this exchange began; nil before the first.
    func handshake(of peer: CurlTLSPeer?) -> TimePoint? { peer?.handshakeStart.flatMap { $0 > start ? $0 : nil } }

    /// The timings of the current or last exchange, which ends at `end`. On a reused connection nothing is resolved,
    /// connected or secured.
    ///
    /// libcurl counts from its own start, with a clock that ticks in microseconds. That start is computed from the one
    /// moment that both sides have recorded: when the request was about to be sent. Each phase then begins where the
    /// previous one ended.
    @inline(__always)
    func timings(_ handle: CurlHandle, isReused: Bool, decoding: TimeSpan, end: TimePoint) -> PhaseTimings {
        let ready = handle.offset(CURLINFO_PRETRANSFER_TIME_T)
        let firstByte = handle.offset(CURLINFO_STARTTRANSFER_TIME_T)
        let total = handle.offset(CURLINFO_TOTAL_TIME_T)
        let length = start.span(to: end).nanoseconds
        var shift: Int64 = 0
        if let point = self.ready {
            shift = max(0, min(start.span(to: point).nanoseconds - ready * 1000, length - total * 1000))
        }
        func point(_ microseconds: Int64) -> Duration {
            microseconds == 0 ? .zero : .nanoseconds(shift + microseconds * 1000)
        }
        var timings = PhaseTimings()
        timings.ready = point(ready)
        timings.firstByte = point(firstByte)
        timings.complete = point(total)
        if !isReused {
            timings.resolved = point(handle.offset(CURLINFO_NAMELOOKUP_TIME_T))
            timings.connected = point(handle.offset(CURLINFO_CONNECT_TIME_T))
            timings.secured = point(handle.offset(CURLINFO_APPCONNECT_TIME_T))
            if let handshake = handshake(of: tunneledPeer) {
                timings.tunneled = start.duration(to: handshake)
            }
        }
        timings.started = .nanoseconds(shift)
        timings.finished = .nanoseconds(length)
        if let sent { timings.sent = start.duration(to: sent) }
        if decoding > .zero { timings.contentDecoding = decoding.duration }
        return timings
    }
}
