import CLibcurl
import HTTPCore
import HTTPEngine
import HTTPSupport

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
