import Dispatch
import Straightline

extension Suite {
    static let submitWait = Suite(
        section: .adapters,
        id: "submit-wait",
        name: "submit → wait",
        unit: .microseconds,
        floor: .bareSemaphores,
        contenders: [.callbackAndSemaphore, .futureAndWait]
    )
}

extension Case {
    /// A semaphore there and one back, and between them a thread that makes the blocking call.
    fileprivate static let bareSemaphores = Case.local("bare DispatchSemaphore, there and back") {
        let stub = try StubCall()
        let desk = Desk<Result<Response, HTTPError>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let partner = try Partner(woken: DispatchSemaphore(value: 0)) {
            desk.value = stub.client.executeRequest(stub.request)
            isDone.signal()
        }
        return timing {
            partner.ring()
            isDone.wait()
            guard let result = desk.value else { throw Failure("the thread left no result") }
            try stub.check(result)
        }
    }

    fileprivate static let callbackAndSemaphore = Case.local("submit + DispatchSemaphore") {
        let stub = try StubCall()
        let dispatcher = Dispatcher()
        let desk = Desk<Result<Response, HTTPError>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        return timing {
            dispatcher.submit({ stub.client.executeRequest(stub.request) }) {
                desk.value = $0
                isDone.signal()
            }
            isDone.wait()
            guard let result = desk.value else { throw Failure("the callback left no result") }
            try stub.check(result)
        }
    }

    fileprivate static let futureAndWait = Case.local("client.future(for:).wait()") {
        let stub = try StubCall()
        let dispatcher = Dispatcher()
        return timing {
            try stub.check(stub.client.future(for: stub.request, on: dispatcher).wait())
        }
    }
}
