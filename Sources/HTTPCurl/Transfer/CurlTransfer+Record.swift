import CLibcurl
import HTTPSupport

/// The record of the current or last exchange, with libcurl's figures.
extension CurlTransfer {
    /// The phase that the exchange reached.
    var phase: CallActivity {
        if exchange.body.receiver.head != nil { return .receiving }
        if exchange.isConnected { return exchange.hasGivenBody ? .waiting : .sending }
        if handle.offset(CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
        // libcurl has a time for the connection only after the TLS handshake, and before 8.14 an address as soon as it is
        // connected.
        let isOpen = handle.hasText(CURLINFO_PRIMARY_IP) || exchange.clock.handshake(of: tlsPeer) != nil
        guard isOpen, !isBeforeTunnel else { return .connecting }
        return key.origin.scheme == .https ? .securing : .connecting
    }

    private var isBeforeTunnel: Bool { opensTunnel && handle.long(CURLINFO_HTTP_CONNECTCODE) / 100 != 2 }

    /// The record of a call that started at `start`, has progressed as `plan` says, and whose exchange ended at `end`.
    func record(
        _ plan: CallPlan, since start: TimePoint, to end: TimePoint, phase: CallActivity,
        engine: CallRecord.UnderlyingError? = nil
    ) -> CallRecord {
        var record = CallRecord(
            plan.request, phase: phase, metrics: metrics(plan, from: start, to: end),
            redirects: plan.redirects, engine: engine)
        record.proxy = proxy?.authority
        record.unixSocketPath = unixSocketPath
        return record
    }

    /// The metrics of a call that started at `start`, ended at `end` and has progressed as `plan` says. Inlined,
    /// because they are large and would be moved once more.
    @inline(__always)
    func metrics(_ plan: CallPlan, from start: TimePoint, to end: TimePoint) -> Metrics {
        let route = exchange.connection.route
        var metrics = Metrics(
            timings: exchange.timings(handle, isReused: isReused, end: end), total: start.duration(to: end),
            attemptCount: plan.attempts)
        (metrics.remoteAddress, metrics.remotePort) = (route.remoteAddress, route.remotePort)
        (metrics.localAddress, metrics.localPort) = (route.localAddress, route.localPort)
        metrics.isConnectionReused = isReused
        (metrics.bytesSent, metrics.bytesReceived) = (bytesSent, bytesReceived)
        metrics.connection = exchange.connection.info
        plan.complete(&metrics)
        return metrics
    }

    private var bytesSent: Int64 {
        let isBodyApart = requestOptions.mayHaveBody && !CurlLibrary.shared.countsBodyInRequest
        return (isBodyApart ? handle.offset(CURLINFO_SIZE_UPLOAD_T) : 0) + Int64(handle.long(CURLINFO_REQUEST_SIZE))
    }

    private var bytesReceived: Int64 { exchange.body.codedCount + Int64(handle.long(CURLINFO_HEADER_SIZE)) }
}
