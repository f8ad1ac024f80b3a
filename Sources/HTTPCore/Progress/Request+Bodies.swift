extension Request {
    /// The destination of the response body that `start` begins; nil if it goes to memory unobserved. `memory` receives
    /// an observed body that goes to memory.
    package func openSink(_ start: ResponseStart, memory: () -> BodySink) throws(BodyProblem) -> BodySink? {
        guard let report = self[ProgressKey.self].download else { return try destination.open(start) }
        let sink = try destination.open(start) ?? memory()
        let tally = ProgressTally(report, total: start.bodyLength)
        return BodySink(
            write: { bytes in
                try sink.write(bytes)
                tally.add(bytes.count)
            },
            finish: {
                try sink.finish()
                tally.finish()
            },
            abandon: {
                sink.abandon()
                tally.breakOff()
            })
    }

    /// Whether a sink is needed for a body with a 2xx status.
    package var needsSink: Bool { !destination.isMemory || self[ProgressKey.self].download != nil }

    /// Whether the body of a response with this status goes to the sink.
    package func sinkTakes(_ status: HTTPStatus) -> Bool {
        status.isSuccess || destination.takesRefusals && !isRepeatedWithoutExpectation(after: status)
    }

    /// Whether the server does not fulfil the request's expectation, so that it is sent once more without it (RFC 9110
    /// §10.1.1). The body has not been sent.
    package func isRepeatedWithoutExpectation(after status: HTTPStatus) -> Bool {
        status == .expectationFailed && continueWait != nil && body.isReplayable && !body.isEmpty
    }

    /// Whether the idle limit ends with this head: its body goes to the destination and is of a type that may pause.
    package func mayBeQuiet(after status: HTTPStatus, _ headers: HTTPHeaders) -> Bool {
        guard mayBeQuiet, sinkTakes(status), let types = destination.quietTypes else { return false }
        return headers.hasContentType(in: types)
    }

    /// Whether the progress of the request body is observed.
    package var watchesUpload: Bool { self[ProgressKey.self].upload != nil }

    /// The body for one exchange, from its first byte, observed if there is an observer.
    package func openBody() throws(BodyProblem) -> UploadStream {
        var stream = try body.open()
        guard let report = self[ProgressKey.self].upload else { return stream }
        let tally = ProgressTally(report, total: stream.length)
        // An empty body is not read, so its end would not be reported.
        if stream.isFinished { tally.finish() } else { stream.watch(by: tally) }
        return stream
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// A failure if the body is in memory and was to go elsewhere. Whoever answered in place of the server did not deliver it,
    /// and the caller's file would be empty.
    package consuming func delivered(to request: Request) -> Self {
        guard request.destination.wantsBody, case .success(let response) = self, !response.body.isEmpty,
            request.sinkTakes(response.status),
            !RedirectDecision.isFollowedRedirect(response.status, response.headers, answering: request)
        else { return self }
        let problem = BrokenBodyContract(
            description: "its body was not delivered to its destination by whoever answered in place of the server:"
                + " answer such requests without a body, or pass them on",
            isAdvice: true)
        let record = CallRecord(request, phase: .finishing, metrics: response.metrics)
        return .failure(BodyProblem(.sink, problem).error(record))
    }
}

extension HTTPHeaders {
    /// Whether the Content-Type is one of `types`, whatever their case.
    package func hasContentType(in types: Set<String>) -> Bool {
        guard let essence = self["Content-Type"].flatMap(MediaType.init)?.essence else { return false }
        return types.contains { ASCII.equalsIgnoringCase($0, essence) }
    }
}
