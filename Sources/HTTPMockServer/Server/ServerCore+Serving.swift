import HTTPTesting

extension ServerCore {
    /// The alert handshake_failure (RFC 8446 §6.2), in a record that all versions of TLS understand.
    private static let handshakeFailure: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]

    /// Serves a connection on the calling thread, or applies its fault.
    func serve(_ socket: LoopbackSocket, _ number: Int, _ fault: ConnectionFault?) {
        switch fault {
        case nil: serve(socket, number)
        case .close: close(socket)
        case .reset: socket.resetOnClose()
        case .failHandshake:
            guard tls != nil else { return close(socket) }
            refuseHandshake(socket)
        case .neverRead: _ = socket.waitForDeparture(or: stopSignal, timeout: nil)
        }
    }

    private func serve(_ socket: LoopbackSocket, _ number: Int) {
        guard let tls else {
            var begin: [UInt8] = []
            guard let spoken = spokenProtocol(on: socket, &begin) else {
                guard !begin.isEmpty else { return }
                let reason = "the connection ended before its first request"
                let bytes = Array(begin.prefix(4_096))
                return note(.init(kind: .truncated, reason: reason, connection: number, index: 0, bytes: bytes))
            }
            return serve(spoken, on: socket, number, nil, begin)
        }
        do throws(MockServerError) {
            let stream = try TLSStream(socket, tls)
            if let reason = stream.handshake() {
                note(.init(kind: .handshake, reason: reason, connection: number, index: 0, bytes: []))
                return socket.lingerUntilClosed()
            }
            let details = stream.session.details()
            let spoken = ServedProtocol(
                negotiated: details.negotiatedProtocol, options, negotiates: tls.options.negotiatesProtocol)
            serve(spoken, on: stream, number, details, [])
            stream.end()
        } catch {
            log.record(.init(kind: .handshake, reason: "\(error)", connection: number, index: 0, bytes: []))
        }
    }

    private func serve(
        _ spoken: ServedProtocol, on stream: any ConnectionStream, _ number: Int, _ details: TLSDetails?,
        _ begin: [UInt8]
    ) {
        switch spoken {
        case .http1: ServerConnection(number: number, stream: stream, tls: details, core: self).serve(begin)
        case .http2: HTTP2Connection(number: number, stream: stream, tls: details, core: self)?.serve(begin)
        case .refused(let reason): refuse(stream.base, number, reason, begin)
        }
    }

    /// Reads until the protocol of a plain connection is known; nil if it ends before.
    private func spokenProtocol(on socket: LoopbackSocket, _ begin: inout [UInt8]) -> ServedProtocol? {
        while true {
            if let spoken = ServedProtocol(begin: begin, options) { return spoken }
            let more = [UInt8](unsafeUninitializedCapacity: 4_096) { room, count in
                count = socket.read(into: UnsafeMutableRawBufferPointer(room))
            }
            guard !more.isEmpty else { return nil }
            begin += more
        }
    }

    private func refuse(_ socket: LoopbackSocket, _ number: Int, _ reason: String, _ begin: [UInt8]) {
        let bytes = Array(begin.prefix(4_096))
        log.record(.init(kind: .malformed, reason: reason, connection: number, index: 0, bytes: bytes))
        socket.discardArrived()
    }

    /// After the ClientHello: an earlier alert would be a different fault.
    private func refuseHandshake(_ socket: LoopbackSocket) {
        guard socket.waitForArrival(or: stopSignal, timeout: nil) == .watched else { return }
        _ = Self.handshakeFailure.withUnsafeBytes(socket.write)
        socket.lingerUntilClosed()
    }

    /// Half-closes, and reads what the client sends first, if it sends anything: bytes that arrive at a closed socket are
    /// answered by a reset, which could overtake the end.
    private func close(_ socket: LoopbackSocket) {
        socket.finishWriting()
        _ = socket.waitForArrival(or: stopSignal, timeout: .seconds(1))
        socket.discardArrived()
    }
}

extension ServerCore {
    /// Logs what a client did, but not what stopping the server has cut off.
    func note(_ violation: MockServer.ProtocolViolation) {
        if violation.kind == .malformed || !stopSignal.hasFired { log.record(violation) }
    }

    /// The scripted answer to `request`. The log records if there is none, or if it is not possible.
    func answer(to request: ReceivedRequest) -> MockResponse {
        guard let answer = script.answer(to: request) else {
            log.record(unscripted: request)
            return .text("nothing was scripted for \(request.method) \(request.target)\n", status: .notFound)
        }
        return possible(answer, for: request)
    }

    /// `answer`, or a 500 that says why it is not possible over this version.
    func possible(_ answer: MockResponse, for request: ReceivedRequest) -> MockResponse {
        guard let problem = answer.problem(overHTTP2: request.stream != nil) else { return answer }
        log.record(misuse: "the answer to \(request.method) \(Redaction.urlText(request.target)): \(problem)")
        return .text("\(problem)\n", status: 500)
    }
}
