import CLibcurl
import HTTPCore

/// libcurl's figures of the last exchange.
extension CurlTransfer {
    /// The metrics of a call that started at `start`, ended at `end` and has progressed as `plan` says. Inlined,
    /// because they are large and would be moved once more.
    @inline(__always)
    func metrics(_ plan: CallPlan, from start: TimePoint, to end: TimePoint) -> Metrics {
        let route = exchange.connection.route
        var metrics = Metrics(
            timings: exchange.timings(handle, isReused: isReused, end: end), total: start.duration(to: end),
            remoteAddress: route.remoteAddress,
            remotePort: route.remotePort, localAddress: route.localAddress, localPort: route.localPort,
            isConnectionReused: isReused, bytesSent: bytesSent, bytesReceived: bytesReceived,
            attempts: plan.attempts)
        metrics.connection = exchange.connection.info
        plan.complete(&metrics)
        return metrics
    }

    private var bytesSent: Int64 {
        let body = requestOptions.mayHaveBody ? handle.offset(CURLINFO_SIZE_UPLOAD_T) : 0
        return body + Int64(handle.long(CURLINFO_REQUEST_SIZE))
    }

    private var bytesReceived: Int64 {
        handle.offset(CURLINFO_SIZE_DOWNLOAD_T) + Int64(handle.long(CURLINFO_HEADER_SIZE))
    }
}

extension CurlExchange {
    /// The timings of the current or last exchange, which ends at `end`. On a reused connection nothing is resolved,
    /// connected or secured.
    ///
    /// libcurl counts from its own start, with a clock that ticks in microseconds. That start is computed from the one
    /// moment that both sides have recorded: when the request was about to be sent. Each phase then begins where the
    /// previous one ended.
    @inline(__always)
    func timings(_ handle: CurlHandle, isReused: Bool, end: TimePoint) -> PhaseTimings {
        let ready = handle.offset(CURLINFO_PRETRANSFER_TIME_T)
        let firstByte = handle.offset(CURLINFO_STARTTRANSFER_TIME_T)
        let total = handle.offset(CURLINFO_TOTAL_TIME_T)
        let length = start.span(to: end).nanoseconds
        var shift: Int64 = 0
        if let readyPoint {
            shift = max(0, min(start.span(to: readyPoint).nanoseconds - ready * 1000, length - total * 1000))
        }
        func point(_ microseconds: Int64) -> Duration {
            microseconds == 0 ? .zero : .nanoseconds(shift + microseconds * 1000)
        }
        var timings = PhaseTimings(
            resolved: .zero, connected: .zero, secured: .zero, ready: point(ready), firstByte: point(firstByte),
            complete: point(total))
        if !isReused {
            timings.resolved = point(handle.offset(CURLINFO_NAMELOOKUP_TIME_T))
            timings.connected = point(handle.offset(CURLINFO_CONNECT_TIME_T))
            timings.secured = point(handle.offset(CURLINFO_APPCONNECT_TIME_T))
            if let handshake = tunneledPeer?.handshakeStart, handshake > start {
                timings.tunneled = start.duration(to: handshake)
            }
        }
        timings.started = .nanoseconds(shift)
        timings.finished = .nanoseconds(length)
        if let sent { timings.sent = start.duration(to: sent) }
        if decodingTime > .zero { timings.contentDecoding = decodingTime.duration }
        return timings
    }
}
