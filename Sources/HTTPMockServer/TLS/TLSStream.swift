/// The plaintext of a TLS connection.
package final class TLSStream: ConnectionStream {
    package let base: LoopbackSocket
    package let session: TLSSession
    private var sendsCloseNotify: Bool
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 17 * 1_024, alignment: 16)

    package init(_ base: LoopbackSocket, _ context: TLSContext) throws(MockServerError) {
        self.base = base
        session = try context.newSession()
        sendsCloseNotify = context.options.sendsCloseNotify
    }

    deinit { scratch.deallocate() }

    /// Performs the handshake; returns its error, or nil.
    package func handshake() -> String? {
        while true {
            let progress = session.handshake()
            // A failed handshake also sends an alert.
            let isSent = flush()
            switch progress {
            case .done: return nil
            case .failed(let reason): return reason
            case .closed: return "the client closed the connection in the handshake"
            case .starved:
                guard isSent, fill(by: base.read) ?? 0 > 0 else { return "the client left in the handshake" }
            }
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { read(into: buffer, by: base.read) ?? 0 }

    package func readArrived(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        read(into: buffer, by: base.readArrived)
    }

    private func read(
        into buffer: UnsafeMutableRawBufferPointer, by receive: (UnsafeMutableRawBufferPointer) -> Int?
    ) -> Int? {
        while true {
            let progress = session.read(into: buffer)
            _ = flush()
            switch progress {
            case .done(let count): return count
            case .closed, .failed: return 0
            case .starved:
                let count = fill(by: receive)
                guard let count, count > 0 else { return count }
            }
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // One record at a time, so that little is buffered twice.
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(16_384))
            guard case .done(let count) = session.write(piece), flush() else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    package func finishWriting() {
        end()
        base.finishWriting()
    }

    package func end() {
        guard sendsCloseNotify else { return }
        sendsCloseNotify = false
        session.sendCloseNotify()
        _ = flush()
    }

    package func suppressCloseNotify() { sendsCloseNotify = false }

    /// What `receive` has returned.
    private func fill(by receive: (UnsafeMutableRawBufferPointer) -> Int?) -> Int? {
        let count = receive(scratch)
        if let count, count > 0 { session.receive(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
        return count
    }

    package func flush() -> Bool {
        let bytes = session.takeLeaving()
        return bytes.isEmpty || bytes.withUnsafeBytes(base.write)
    }
}
