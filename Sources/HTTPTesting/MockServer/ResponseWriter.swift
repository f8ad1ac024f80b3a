/// Performs the steps of a `ResponsePlan` on a socket.
struct ResponseWriter {
    let socket: LoopbackSocket
    let stop: WakeSignal

    /// Returns false as soon as the client has left or the server was stopped.
    func perform(_ steps: [ResponsePlan.Step]) -> Bool {
        for step in steps {
            let isDone =
                switch step {
                case .write(let bytes): write(bytes[...])
                case .pause(let duration): pause(duration)
                case .trickle(let bytes, let size, let pause): trickle(bytes, size: size, pause: pause)
                }
            guard isDone else { return false }
        }
        return true
    }

    private func write(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.withUnsafeBytes(socket.write) }

    private func pause(_ duration: Duration) -> Bool {
        socket.waitForDeparture(or: stop, timeout: duration) == .timedOut
    }

    private func trickle(_ bytes: [UInt8], size: Int, pause duration: Duration) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard write(rest.prefix(size)) else { return false }
            rest = rest.dropFirst(size)
            guard rest.isEmpty || pause(duration) else { return false }
        }
        return true
    }
}
