import HTTPCore

extension HTTPArchive.Timings {
    /// The timings of one exchange, from its phases in the history of the call. Work of this process before the engine
    /// begins is `blocked`. A tunnel is part of `connect`. Content decoding, and any work after it, is part of
    /// `receive`.
    init(_ attempt: CallAttempt) {
        var sums: [CallSegment.Kind: Duration] = [:]
        for phase in attempt.phases { sums[phase.kind, default: .zero] += phase.end - phase.start }
        func sum(_ kinds: CallSegment.Kind...) -> Double? {
            let durations = kinds.compactMap { sums[$0] }
            return durations.isEmpty ? nil : durations.reduce(.zero, +).milliseconds
        }
        self.init()
        if let time = sum(.setUp, .prepare, .other) { blocked = time }
        if let time = sum(.resolve) { dns = time }
        if let time = sum(.connect, .tunnel, .secure) { connect = time }
        if let time = sum(.secure) { ssl = time }
        send = sum(.send) ?? send
        wait = sum(.server) ?? 0
        receive = sum(.receive, .contentDecoding, .finish) ?? 0
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
