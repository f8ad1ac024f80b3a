/// Turns frames into requests and passes them to the handlers.
extension HTTP2Connection {
    func handle(_ event: HTTP2Session.Event) {
        switch event {
        case .fields(let id, let fields, let isLast):
            if exchanges[id] == nil {
                begin(id, HTTP2RequestHead(fields), isWhole: isLast)
            } else {
                exchanges[id]?.body.trailers = HTTPHeaders(fields)
            }
        case .data(let id, let bytes):
            if exchanges[id] == nil {
                session.consume(bytes.count, on: id)
            } else {
                exchanges[id]?.body.take(bytes, limit: core.options.bodyLimit)
                takeIn(id, .now)
            }
        case .end(let id):
            exchanges[id]?.isWhole = true
            completeIfDue(id)
        case .closed(let id):
            abandon(id)
            forget(id)
        case .invalid(let id, let reason):
            record(.malformed, "stream \(id): \(reason)", index: requestCount, [])
        }
    }

    func handle(_ message: HTTP2Inbox.Message) {
        switch message {
        case .answer(let answer, let id):
            if let exchange = exchanges[id] { reply(answer, on: id, to: exchange.head.method) }
        case .early(let answer?, let id): answerEarly(id, answer)
        case .early(nil, let id): expectBody(id)
        }
    }

    /// Extends the flow-control window by what was consumed.
    func takeIn(_ id: Int32, _ now: ContinuousClock.Instant) {
        guard let count = exchanges[id]?.consume(at: now) else { return }
        if count > 0 { session.consume(count, on: id) }
        completeIfDue(id)
    }

    /// The stream is closed, either normally or because the client has gone.
    func abandon(_ id: Int32) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        session.consume(exchange.body.count - exchange.consumedCount, on: id)
        // A fault that ends the connection cuts off its other requests.
        if exchange.isWhole || exchange.isRecorded || closing != nil || id > lastServed { return }
        let reason = "stream \(id) ended within the body of a request"
        record(.truncated, reason, index: exchange.index, Array(exchange.body.bytes.prefix(4_096)))
    }

    func record(_ kind: MockServer.ProtocolViolation.Kind, _ reason: String, index: Int, _ bytes: [UInt8]) {
        core.note(.init(kind: kind, reason: reason, connection: number, index: index, bytes: bytes))
    }

    private func begin(_ id: Int32, _ head: HTTP2RequestHead, isWhole: Bool) {
        var exchange = HTTP2Exchange(head: head, index: requestCount)
        requestCount += 1
        exchange.isWhole = isWhole
        let rate = core.script.receivingRate(for: request(exchange, id, nil))
        exchange.pacer = rate.map { Pacer(rate: $0, start: .now) }
        exchanges[id] = exchange
        if let queued = core.script.takeEarly() { return answerEarly(id, queued) }
        guard core.script.asksEarly else { return expectBody(id) }
        exchanges[id]?.early = .asked
        let request = request(exchange, id, nil)
        work { core, inbox in inbox.post(.early(core.script.earlyAnswer(to: request), on: id)) }
    }

    private func answerEarly(_ id: Int32, _ answer: MockResponse) {
        guard let exchange = exchanges[id] else { return }
        let request = request(exchange, id, nil)
        var possible = core.possible(answer, for: request)
        let isCut = FaultEffect(of: possible.fault).ending != .proceed
        let readsOn = exchange.isWhole || answer.keepsConnection && !isCut
        exchanges[id]?.early = .answered(readsOn: readsOn)
        if !readsOn {
            exchanges[id]?.isRecorded = true
            core.log.record(request)
        }
        // The rest of this body is ignored, and the connection does not need its end.
        if !readsOn { possible.keepsConnection = true }
        reply(possible, on: id, to: exchange.head.method)
        completeIfDue(id)
    }

    private func expectBody(_ id: Int32) {
        guard let exchange = exchanges[id] else { return }
        exchanges[id]?.early = .no
        if !exchange.isWhole, exchange.body.count == 0, exchange.head.expectsContinue, core.options.answersContinue {
            session.sendInterim([HTTPHeaders.Field(name: ":status", value: "100")], on: id)
        }
        completeIfDue(id)
    }

    /// Records a complete request, and answers it unless it was answered early.
    private func completeIfDue(_ id: Int32) {
        guard let exchange = exchanges[id], exchange.isComplete, !exchange.isRecorded else { return }
        if case .asked = exchange.early { return }
        exchanges[id]?.isRecorded = true
        let request = request(exchange, id, exchange.body)
        core.log.record(request)
        guard case .no = exchange.early else { return }
        if let queued = core.script.takeQueued() {
            return reply(core.possible(queued, for: request), on: id, to: request.method)
        }
        work { core, inbox in inbox.post(.answer(core.answer(to: request), on: id)) }
    }

    /// Runs blocking code on its own thread, or on this one if the system refuses a thread.
    private func work(_ job: @escaping @Sendable (ServerCore, HTTP2Inbox) -> Void) {
        let (core, inbox) = (core, inbox)
        if ServerThread.start({ job(core, inbox) }) != 0 { job(core, inbox) }
    }

    private func request(
        _ exchange: HTTP2Exchange, _ id: Int32, _ body: RequestReader.RequestBody?
    ) -> ReceivedRequest {
        ReceivedRequest(
            method: exchange.head.method, target: exchange.head.target, version: "HTTP/2", head: exchange.head.bytes,
            headers: exchange.head.headers, body: body?.bytes ?? [], bodyByteCount: body?.count ?? 0,
            trailers: body?.trailers ?? [:], isBodyComplete: body != nil, connection: number, index: exchange.index,
            stream: Int(id), tls: tls)
    }
}
