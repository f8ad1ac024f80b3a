import Straightline

extension Suite {
    static let submitAwait = Suite(
        section: .adapters,
        id: "submit-await",
        name: "submit → await",
        unit: .microseconds,
        floor: .bareContinuation,
        contenders: [.blockingCall, .awaitedResponse, .awaitedCancellable, .awaitedPerform]
    )
}

extension Case {
    /// A continuation, resumed by a thread that sleeps at a condition and makes the blocking call.
    fileprivate static let bareContinuation = Case.local("bare continuation, pthread + condition") {
        typealias Continuation = UnsafeContinuation<Result<Response, HTTPError>, Never>
        let stub = try StubCall()
        let desk = Desk<Continuation?>(nil)
        let partner = try Partner(woken: ConditionBell()) {
            desk.value?.resume(returning: stub.client.executeRequest(stub.request))
        }
        return awaiting {
            let result = await withUnsafeContinuation { continuation in
                desk.value = continuation
                partner.ring()
            }
            try stub.check(result)
        }
    }

    /// The call that all of them make, on this thread.
    fileprivate static let blockingCall = Case.local("blocking call, on this thread") {
        let stub = try StubCall()
        return timing { try stub.check(stub.client.executeRequest(stub.request)) }
    }

    fileprivate static let awaitedResponse = Case.local(
        "client.send", limit: 1.25,
        allocations: AllocationLimit(4, beyond: "blocking call, on this thread"),
        references: [Reference("target", 7)]
    ) {
        let stub = try StubCall()
        let dispatcher = Dispatcher()
        return awaiting { try stub.check(await stub.client.send(stub.request, on: dispatcher)) }
    }

    /// The same with what a transport adds to it.
    fileprivate static let awaitedCancellable = Case.local(
        "the same, with a handler registered", limit: 1.25,
        allocations: AllocationLimit(4, beyond: "blocking call, on this thread"),
        references: [Reference("target", 7)]
    ) {
        let stub = try StubCall.cancellable()
        let dispatcher = Dispatcher()
        return awaiting { try stub.check(await stub.client.send(stub.request, on: dispatcher)) }
    }

    fileprivate static let awaitedPerform = Case.local("Dispatcher.shared.run { … }", limit: 1.25) {
        let stub = try StubCall()
        let dispatcher = Dispatcher()
        return awaiting {
            try stub.check(await dispatcher.run { stub.client.executeRequest(stub.request) })
        }
    }
}
