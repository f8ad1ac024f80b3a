import CLibcurl
import HTTPCore
import HTTPEngine
import HTTPSupport

/// The record of the current or last exchange.
extension CurlTransfer {
    /// The phase that the exchange reached.
    var phase: CallActivity {
        if exchange.body.receiver.head != nil { return .receiving }
        if exchange.isConnected { return exchange.hasGivenBody ? .waiting : .sending }
        if handle.offset(CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
        // libcurl has a time for the connection only after the TLS handshake, and an address as soon as it is
        // connected.
        guard handle.hasText(CURLINFO_PRIMARY_IP), !isBeforeTunnel else { return .connecting }
        return key.origin.scheme == .https ? .securing : .connecting
    }

    private var isBeforeTunnel: Bool {
        switch proxy?.kind {
        case .http, .https: handle.long(CURLINFO_HTTP_CONNECTCODE) / 100 != 2
        case .socks4, .socks4a, .socks5, .socks5h, nil: false
        }
    }

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
}
