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
            timings: handle.timings(isReused: isReused), total: start.duration(to: end),
            remoteAddress: route.remoteAddress,
            remotePort: route.remotePort, localAddress: route.localAddress, localPort: route.localPort,
            isConnectionReused: isReused, bytesSent: bytesSent, bytesReceived: bytesReceived,
            attempts: plan.attempts)
        metrics.connection = exchange.connection.info
        plan.complete(&metrics)
        if let sent = exchange.sent { metrics.timings.sent = (start + plan.start).duration(to: sent) }
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

extension CurlHandle {
    /// The timings of the current or last exchange. On a reused connection nothing is resolved, connected or secured.
    @inline(__always)
    func timings(isReused: Bool) -> PhaseTimings {
        let none = Duration.zero
        return PhaseTimings(
            resolved: isReused ? none : duration(CURLINFO_NAMELOOKUP_TIME_T),
            connected: isReused ? none : duration(CURLINFO_CONNECT_TIME_T),
            secured: isReused ? none : duration(CURLINFO_APPCONNECT_TIME_T),
            ready: duration(CURLINFO_PRETRANSFER_TIME_T), firstByte: duration(CURLINFO_STARTTRANSFER_TIME_T),
            complete: duration(CURLINFO_TOTAL_TIME_T))
    }
}
