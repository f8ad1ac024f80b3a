/// Performs the steps of a `ResponsePlan` on a socket.
struct ResponseWriter {
    let stream: any ConnectionStream
    let stop: WakeSignal

    /// Returns false as soon as the client has left or the server was stopped.
    func perform(_ steps: [ResponsePlan.Step]) -> Bool {
        for step in steps {
            let isDone =
                switch step {
                case .write(let bytes): stream.write(bytes[...])
                case .pause(let duration): pause(duration)
                case .paced(let bytes, let rate): write(bytes, Pacer(rate: rate, start: .now))
                }
            guard isDone else { return false }
        }
        return true
    }

    private func pause(_ duration: Duration) -> Bool {
        stream.base.waitForDeparture(or: stop, timeout: duration) == .timedOut
    }

    private func write(_ bytes: [UInt8], _ pacer: Pacer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pacer.pieceSize)
            guard wait(until: pacer.due(after: piece.endIndex)), stream.write(piece) else { return false }
            rest = rest.dropFirst(piece.count)
        }
        return true
    }

    private func wait(until time: ContinuousClock.Instant) -> Bool {
        let left = ContinuousClock.now.duration(to: time)
        return left <= .zero || pause(left)
    }
}
