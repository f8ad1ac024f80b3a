#if canImport(CLibcurl)
import CLibcurl

/// The figures that libcurl keeps of the last transfer of a handle.
struct CurlMetrics {
    let handle: CurlHandle

    func read(attempts: Int, callStart: ContinuousClock.Instant) -> Metrics {
        var metrics = Metrics()
        metrics.timings = timings()
        metrics.total = callStart.duration(to: .now)
        metrics.remoteAddress = handle.string(CURLINFO_PRIMARY_IP)
        metrics.localAddress = handle.string(CURLINFO_LOCAL_IP)
        if metrics.remoteAddress != nil {
            metrics.remotePort = handle.long(CURLINFO_PRIMARY_PORT)
            metrics.localPort = handle.long(CURLINFO_LOCAL_PORT)
        }
        metrics.isConnectionReused = handle.long(CURLINFO_NUM_CONNECTS) == 0 && metrics.remoteAddress != nil
        metrics.bytesSent = handle.offset(CURLINFO_SIZE_UPLOAD_T) + Int64(handle.long(CURLINFO_REQUEST_SIZE))
        metrics.bytesReceived = handle.offset(CURLINFO_SIZE_DOWNLOAD_T) + Int64(handle.long(CURLINFO_HEADER_SIZE))
        metrics.attempts = attempts
        return metrics
    }

    private func timings() -> PhaseTimings {
        var timings = PhaseTimings()
        timings.resolved = handle.duration(CURLINFO_NAMELOOKUP_TIME_T)
        timings.connected = handle.duration(CURLINFO_CONNECT_TIME_T)
        timings.secured = handle.duration(CURLINFO_APPCONNECT_TIME_T)
        timings.ready = handle.duration(CURLINFO_PRETRANSFER_TIME_T)
        timings.firstByte = handle.duration(CURLINFO_STARTTRANSFER_TIME_T)
        timings.complete = handle.duration(CURLINFO_TOTAL_TIME_T)
        return timings
    }
}
#endif
