import HTTPCore

extension HTTPArchive.Timings {
    /// From the timings of one exchange. Sending that continues while the server may already answer counts as waiting.
    init(_ timings: PhaseTimings) {
        let (resolved, connected, secured) = (timings.resolved, timings.connected, timings.secured)
        let connection = max(resolved, connected, secured)
        self.init()
        if resolved > .zero { dns = resolved.milliseconds }
        if connected > .zero { connect = (max(connected, secured) - resolved).milliseconds }
        if secured > .zero { ssl = (secured - max(connected, resolved)).milliseconds }
        let ready = max(timings.ready, connection)
        if timings.ready > connection { blocked = (timings.ready - connection).milliseconds }
        wait = max(timings.firstByte - ready, .zero).milliseconds
        receive = max(timings.complete - max(timings.firstByte, ready), .zero).milliseconds
    }
}

extension Duration {
    /// Rounded to microseconds.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1000
    }

    var inSeconds: Double { milliseconds / 1000 }
}
