#if canImport(CLibcurl)
import CLibcurl

/// The figures that libcurl keeps of the last transfer of a handle.
struct CurlMetrics {
    let handle: CurlHandle

    /// `route` is the connection's, where it is known already.
    func read(attempts: Int, callStart: TimePoint, route: CurlRoute) -> Metrics {
        var metrics = Metrics()
        metrics.timings = timings(isReused: route.isReused)
        metrics.total = callStart.duration(to: .now)
        metrics.remoteAddress = route.remoteAddress
        metrics.remotePort = route.remotePort
        metrics.localAddress = route.localAddress
        metrics.localPort = route.localPort
        metrics.isConnectionReused = route.isReused
        metrics.bytesSent = handle.offset(CURLINFO_SIZE_UPLOAD_T) + Int64(handle.long(CURLINFO_REQUEST_SIZE))
        metrics.bytesReceived = handle.offset(CURLINFO_SIZE_DOWNLOAD_T) + Int64(handle.long(CURLINFO_HEADER_SIZE))
        metrics.attempts = attempts
        return metrics
    }

    /// On a connection that is used again, nothing is resolved, connected or secured.
    private func timings(isReused: Bool) -> PhaseTimings {
        var timings = PhaseTimings()
        if !isReused {
            timings.resolved = handle.duration(CURLINFO_NAMELOOKUP_TIME_T)
            timings.connected = handle.duration(CURLINFO_CONNECT_TIME_T)
            timings.secured = handle.duration(CURLINFO_APPCONNECT_TIME_T)
        }
        timings.ready = handle.duration(CURLINFO_PRETRANSFER_TIME_T)
        timings.firstByte = handle.duration(CURLINFO_STARTTRANSFER_TIME_T)
        timings.complete = handle.duration(CURLINFO_TOTAL_TIME_T)
        return timings
    }
}
#endif
