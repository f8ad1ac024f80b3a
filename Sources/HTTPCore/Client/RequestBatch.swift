import HTTPSupport

/// Requests that are made together, and the receiver of the results.
package struct RequestBatch {
    package let requests: [Request]
    /// The largest number of concurrent requests.
    package let mostActive: Int
    /// The token around the whole batch.
    package private(set) var token = CancellationToken.current
    /// Called once for each request, on the thread that makes the batch.
    package let deliver: (Int, Result<Response, HTTPError>) -> Void

    package init(
        requests: [Request], maxConcurrent: Int, deliver: @escaping (Int, Result<Response, HTTPError>) -> Void
    ) {
        self.requests = requests
        mostActive = max(1, min(maxConcurrent, requests.count))
        self.deliver = deliver
    }

    /// The batch without the token around it.
    var detached: RequestBatch {
        var detached = self
        detached.token = nil
        return detached
    }

    var isCancelled: Bool { token?.isCancelled ?? false }

    /// Ends all requests with an error, because none can be sent.
    package func fail(_ error: (Request) -> HTTPError) {
        for (index, request) in requests.enumerated() { deliver(index, .failure(error(request))) }
    }
}

/// A client that makes the requests of a batch otherwise than one after the other.
package protocol BatchingClient: HTTPClient {
    /// Makes all requests and returns when the last result is delivered.
    func execute(_ batch: RequestBatch)
}

extension RequestBatch {
    /// Makes the requests, in the client's own way if it has one.
    @available(*, noasync)
    func execute(over client: some HTTPClient) {
        if let client = client as? any BatchingClient { client.execute(self) } else { execute(oneByOneOver: client) }
    }

    /// Makes the requests over any client, one after the other. A request that is cancelled before its turn is not
    /// sent: some clients do not check their token.
    @available(*, noasync)
    func execute(oneByOneOver client: some HTTPClient) {
        for (index, request) in requests.enumerated() {
            deliver(
                index, isCancelled ? .failure(.cancelled(CallRecord(unsent: request))) : client.executeRequest(request))
        }
    }
}

/// The requests of a batch as they are, one call each.
package final class PlainSource: CallSource {
    package let batch: RequestBatch
    private let deadline = CallDeadline.current
    private var started = 0

    package init(_ batch: RequestBatch) { self.batch = batch }

    private final class Member: LoopCall {
        private let batch: RequestBatch
        private let index: Int

        init(_ batch: RequestBatch, _ index: Int) { (self.batch, self.index) = (batch, index) }

        var isCancelled: Bool { batch.isCancelled }

        func finish(_ result: consuming Result<Response, HTTPError>) { batch.deliver(index, result) }
    }

    package var isOver: Bool { started == batch.requests.count }
    package var nextDue: TimePoint? { nil }

    package func remaining(active: Int) -> Int { batch.requests.count - started }

    package func next(active: Int) -> SourcedCall? {
        guard !isOver, active < batch.mostActive else { return nil }
        defer { started += 1 }
        return SourcedCall(request: batch.requests[started], deadline: deadline, owner: Member(batch, started))
    }

    package func run(wake: @escaping @Sendable () -> Void, _ body: () -> Void) { body() }
}

/// The source of the calls of a batch. Used by the thread of the event loop alone.
package protocol CallSource: AnyObject {
    var batch: RequestBatch { get }
    /// Whether no call will come any more.
    var isOver: Bool { get }
    /// When to ask again even if nothing has happened; nil for never.
    var nextDue: TimePoint? { get }

    /// How many calls may still start, beside the `active` ones.
    func remaining(active: Int) -> Int

    /// The next call to start beside as many others; nil where there is none at present.
    func next(active: Int) -> SourcedCall?

    /// Runs `body`, in which the loop makes the calls. Meanwhile any thread may call `wake` to make it ask again.
    func run(wake: @escaping @Sendable () -> Void, _ body: () -> Void)
}

/// A call for an event loop to start, and the receiver of its result.
package struct SourcedCall {
    package let request: Request
    /// The one around the call, beside the request's own timeout.
    package let deadline: CallDeadline?
    package let owner: any LoopCall
}
