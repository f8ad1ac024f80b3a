/// The plaintext of a connection, with or without TLS. Used by one thread.
package protocol ConnectionStream {
    /// Reads available bytes; waits for the first. Returns 0 if the client has finished or left, or if the server was
    /// stopped.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Reads available bytes without waiting: nil if there are none, 0 at the end.
    func readArrived(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Writes all of `bytes`; false when the client has gone or the server was stopped.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Signals the end of the data to the client.
    func finishWriting()
    /// Called before an orderly close of the connection.
    func end()
    /// Makes the close look like a cut to the client, where TLS distinguishes them.
    func suppressCloseNotify()
    /// The underlying socket, for waiting and for ending the connection.
    var base: LoopbackSocket { get }
}

extension ConnectionStream {
    package func write(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.withUnsafeBytes(write) }

    /// Half-closes, then reads until the client has closed, too. Closing with unread bytes would reset the connection,
    /// and the client could lose the response or the alert (RFC 9112 §9.6).
    func lingerUntilClosed() {
        finishWriting()
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { scratch in
            while read(into: scratch) > 0 {}
        }
    }
}

extension LoopbackSocket: ConnectionStream {
    package var base: LoopbackSocket { self }

    package func end() {}
    package func suppressCloseNotify() {}
}
