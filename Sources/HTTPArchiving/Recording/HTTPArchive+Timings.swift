extension HTTPArchive.Timings {
    /// The timings of one exchange, from its phases in the history of the call. Work of this process before the engine
    /// begins is `blocked`. A tunnel is part of `connect`. Content decoding, and any work after it, is part of
    /// `receive`.
    init(_ attempt: CallAttempt) {
        var sums: [CallActivity: Duration] = [:]
        for phase in attempt.phases { sums[phase.activity, default: .zero] += phase.end - phase.start }
        func sum(_ kinds: CallActivity...) -> Double? {
            let durations = kinds.compactMap { sums[$0] }
            return durations.isEmpty ? nil : durations.reduce(.zero, +).milliseconds
        }
        self.init()
        if let time = sum(.starting, .preparing, .other) { blocked = time }
        if let time = sum(.resolving) { dns = time }
        if let time = sum(.connecting, .tunneling, .securing) { connect = time }
        if let time = sum(.securing) { ssl = time }
        send = sum(.sending) ?? send
        wait = sum(.waiting) ?? 0
        receive = sum(.receiving, .decompressing, .finishing) ?? 0
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
