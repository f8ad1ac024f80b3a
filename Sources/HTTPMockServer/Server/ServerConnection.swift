/// Serves one connection on the calling thread, request by request.
struct ServerConnection {
    let number: Int
    let stream: any ConnectionStream
    let tls: TLSDetails?
    let core: ServerCore

    private static let readSize = 32_768

    /// - Parameter prefix: The bytes already read.
    func serve(_ prefix: [UInt8] = []) {
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
        defer { scratch.deallocate() }
        var reader = RequestReader(bodyLimit: core.options.bodyLimit)
        prefix.withUnsafeBytes { reader.append($0) }
        var index = 0
        var goesOn = true
        while goesOn {
            var isAnswered = false
            do throws(MalformedRequest) {
                goesOn = try serveRequest(index, from: &reader, scratch, &isAnswered)
            } catch {
                log(.malformed, error.reason, index, reader)
                let answer = MockResponse.text("\(error.reason)\n", status: .badRequest).closing()
                let bytes = ResponseBytes(answer, to: .get, isClosing: true, announcesKeepAlive: false)
                if !isAnswered { _ = writer.perform([.write(bytes.head + bytes.body)]) }
                stream.lingerUntilClosed()
                goesOn = false
            }
            index += 1
        }
    }

    private var writer: ResponseWriter { ResponseWriter(stream: stream, stop: core.stopSignal) }

    /// Reads a request and answers it. Returns whether the connection continues.
    private func serveRequest(
        _ index: Int,
        from reader: inout RequestReader,
        _ scratch: UnsafeMutableRawBufferPointer,
        _ isAnswered: inout Bool
    ) throws(MalformedRequest) -> Bool {
        guard case .head(let head) = try nextEvent(index, from: &reader, scratch) else { return false }
        let rate = core.script.receivingRate(for: request(head, nil, index))
        let pacer = rate.map { Pacer(rate: $0, start: .now) }
        let early = core.script.earlyAnswer(to: request(head, nil, index))
            .map { ResponsePlan(for: core.possible($0, for: self.request(head, nil, index)), to: head) }
        if let early {
            let readsOn = early.ending == .proceed || head.bodyLength == .known(0)
            if !readsOn { core.log.record(request(head, nil, index)) }
            guard writer.perform(early.steps) else { return false }
            isAnswered = true
            if !readsOn { return end(early.ending, isBodyLeft: true) }
        } else if head.expectsContinue, head.bodyLength != .known(0), core.options.answersContinue,
            reader.unread.isEmpty
        {
            guard writer.perform([.write(ResponseBytes.interim(.init(100)))]) else { return false }
        }
        guard case .end(let body) = try nextEvent(index, from: &reader, scratch, pacer) else { return false }
        guard hold(pacer, body.count) else { return false }
        let request = request(head, body, index)
        core.log.record(request)
        if let early { return end(early.ending, isBodyLeft: false) }
        let plan = ResponsePlan(for: core.answer(to: request), to: head)
        return writer.perform(plan.steps) && end(plan.ending, isBodyLeft: false)
    }

    /// The next event; nil if the client has gone.
    private func nextEvent(
        _ index: Int, from reader: inout RequestReader, _ scratch: UnsafeMutableRawBufferPointer, _ pacer: Pacer? = nil
    ) throws(MalformedRequest) -> RequestReader.Event? {
        let room = UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(pacer?.pieceSize ?? scratch.count))
        while true {
            if let event = try reader.next() { return event }
            guard hold(pacer, reader.body.count) else { return nil }
            let count = stream.read(into: room)
            guard count > 0 else {
                let part = reader.isReadingHead ? "head" : "body"
                if !reader.isIdle { log(.truncated, "the client left within the \(part) of a request", index, reader) }
                return nil
            }
            reader.append(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        }
    }

    /// Waits until the client may send `count` bytes of a body, or leaves; false if the server stops.
    private func hold(_ pacer: Pacer?, _ count: Int) -> Bool {
        guard let pacer else { return true }
        let left = ContinuousClock.now.duration(to: pacer.due(after: count))
        return left <= .zero || stream.base.waitForDeparture(or: core.stopSignal, timeout: left) != .signaled
    }

    private func end(_ ending: FaultEffect.Ending, isBodyLeft: Bool) -> Bool {
        switch ending {
        case .proceed: return true
        // HTTP/1.1 has no frame for the end of a stream.
        case .close, .cut, .garbage, .reset, .goAway:
            if ending == .cut { stream.suppressCloseNotify() }
            if isBodyLeft { stream.lingerUntilClosed() } else { stream.base.discardArrived() }
        case .resetConnection:
            stream.suppressCloseNotify()
            stream.base.resetOnClose()
        case .stall: _ = stream.base.waitForDeparture(or: core.stopSignal, timeout: nil)
        }
        return false
    }

    private func request(_ head: RequestHead, _ body: RequestReader.RequestBody?, _ index: Int) -> ReceivedRequest {
        ReceivedRequest(
            method: head.method, target: head.target, version: head.version, head: head.bytes, headers: head.headers,
            body: body?.bytes ?? [], bodyByteCount: body?.count ?? 0, trailers: body?.trailers ?? [:],
            isBodyComplete: body != nil, connection: number, index: index, stream: nil, tls: tls)
    }

    private func log(_ kind: MockServer.ProtocolViolation.Kind, _ reason: String, _ index: Int, _ reader: RequestReader)
    {
        let bytes = reader.isReadingHead ? reader.unread : reader.body.bytes[...]
        core.note(
            .init(kind: kind, reason: reason, connection: number, index: index, bytes: Array(bytes.prefix(4_096))))
    }
}
