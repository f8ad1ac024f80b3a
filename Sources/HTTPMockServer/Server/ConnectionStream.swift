/// The bytes of a connection in the clear, whether or not they are secured on the wire. One thread uses it.
protocol ConnectionStream {
    /// Reads what is there, waiting for the first byte. Returns 0 when the client has finished, was lost, or the server
    /// was stopped.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Reads what is there without waiting: nil when there is nothing, 0 at the end.
    func readArrived(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Writes all of `bytes`; false when the client has gone or the server was stopped.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Tells the client that nothing more will come.
    func finishWriting()
    /// To be called before the connection is closed in an orderly way.
    func end()
    /// Has the client see a cut in place of an end, where TLS knows the difference.
    func suppressCloseNotify()
    /// What lies below, for waiting and for ending the connection.
    var base: LoopbackSocket { get }
}

extension ConnectionStream {
    func write(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.withUnsafeBytes(write) }

    /// Waits until `signal` fires, `timeout` has passed or the client has left.
    func waitForDeparture(or signal: WakeSignal, timeout: Duration?) -> WakeSignal.Outcome {
        base.waitForDeparture(or: signal, timeout: timeout)
    }
}

extension LoopbackSocket: ConnectionStream {
    var base: LoopbackSocket { self }

    func end() {}
    func suppressCloseNotify() {}
}
