import HTTPCore
import HTTPFutures
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPErrorTests {
    typealias ResponseFuture = Future<Response, HTTPError>
    typealias ResponsePromise = Promise<Response, HTTPError>

    @Test func `A cancelled future fails with the same cancellation as a call, without a record`() throws {
        let promise = ResponsePromise()
        promise.future.cancel()
        guard case .failure(.cancelled(nil)) = try #require(promise.future.result) else {
            Issue.record("\(String(describing: promise.future.result))")
            return
        }
        #expect("\(HTTPError.cancelled)" == "the call was cancelled")
    }

    @Test func `A future that times out fails with the same timeout as a call, without a record`() async {
        let promise = ResponsePromise()
        let result = await resultOf(promise.future.timeout(.milliseconds(5)))
        guard case .failure(.timedOut(let failure)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(failure == TimeoutFailure(after: .milliseconds(5)))
        #expect("\(HTTPError.timedOut(failure))" == "the future timed out: 5 ms ran out")
    }

    @Test func `A broken promise has its location in words`() throws {
        let future = ResponsePromise(file: "App/Load.swift", line: 9).future
        guard case .failure(let error) = try #require(future.result) else { return unexpected("a value") }
        #expect("\(error)" == "the promise made at App/Load.swift:9 was dropped unresolved: resolve it on every path")
        #expect(error.record == nil && error.response == nil)
    }
}
