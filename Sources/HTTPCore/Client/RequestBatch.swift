import HTTPSupport

/// Requests that are made together, and the receiver of the results.
package struct RequestBatch {
    package let requests: [Request]
    /// The largest number of concurrent requests.
    package let mostActive: Int
    /// The token around the whole batch.
    private var outerToken = CancellationToken.current
    /// The tokens of single requests, at the same indices.
    private let ownTokens: [CancellationToken?]
    /// Called once for each request, on the thread that makes the batch.
    package let deliver: (Int, Result<Response, HTTPError>) -> Void

    package init(
        requests: [Request], maxConcurrent: Int, tokens: [CancellationToken?],
        deliver: @escaping (Int, Result<Response, HTTPError>) -> Void
    ) {
        self.requests = requests
        mostActive = max(1, min(maxConcurrent, requests.count))
        ownTokens = tokens
        self.deliver = deliver
    }

    /// The batch without the token around it.
    var detached: RequestBatch {
        var detached = self
        detached.outerToken = nil
        return detached
    }

    /// Each may cancel some of the requests.
    package var tokens: [CancellationToken] { ([outerToken] + ownTokens).compactMap(\.self) }

    /// Those that cancel the request at `index`.
    func tokens(of index: Int) -> [CancellationToken] { [outerToken, ownToken(index)].compactMap(\.self) }

    /// Whether the request at `index` is cancelled.
    func isCancelled(_ index: Int) -> Bool {
        outerToken?.isCancelled ?? false || ownToken(index)?.isCancelled ?? false
    }

    private func ownToken(_ index: Int) -> CancellationToken? { index < ownTokens.count ? ownTokens[index] : nil }

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
            if isCancelled(index) {
                deliver(index, .failure(.cancelled(CallRecord(unsent: request))))
            } else if let token = ownToken(index) {
                deliver(index, token.run { client.executeRequest(request) })
            } else {
                deliver(index, client.executeRequest(request))
            }
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

        var isCancelled: Bool { batch.isCancelled(index) }

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
