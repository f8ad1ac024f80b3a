import HTTPSupport

/// Requests that are made together, and the receiver of the results.
package struct RequestBatch {
    package let requests: [Request]
    package let maxConcurrent: Int
    /// The tokens of single requests, at the same indices.
    package let tokens: [CancellationToken?]
    /// Called once for each request, on the thread that makes the batch.
    package let deliver: (Int, Result<Response, HTTPError>) -> Void

    package init(
        requests: [Request], maxConcurrent: Int, tokens: [CancellationToken?],
        deliver: @escaping (Int, Result<Response, HTTPError>) -> Void
    ) {
        self.requests = requests
        self.maxConcurrent = maxConcurrent
        self.tokens = tokens
        self.deliver = deliver
    }

    /// The token of the request at `index`.
    func token(_ index: Int) -> CancellationToken? { index < tokens.count ? tokens[index] : nil }
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
            let token = token(index)
            if CancellationToken.current?.isCancelled ?? false || token?.isCancelled ?? false {
                deliver(index, .failure(.cancelled(CallRecord(request))))
            } else if let token {
                deliver(index, token.run { client.executeRequest(request) })
            } else {
                deliver(index, client.executeRequest(request))
            }
        }
    }
}

/// The requests of a batch as they are, one call each.
package final class PlainSource: CallSource {
    private let batch: RequestBatch
    // The token around the whole batch.
    private let token = CancellationToken.current
    private let deadline = CallDeadline.current
    private var started = 0

    package init(_ batch: RequestBatch) { self.batch = batch }

    private final class Member: LoopCall {
        private let batch: RequestBatch
        private let index: Int
        private let outerToken: CancellationToken?
        private let ownToken: CancellationToken?

        init(_ batch: RequestBatch, _ index: Int, within token: CancellationToken?) {
            self.batch = batch
            self.index = index
            outerToken = token
            ownToken = batch.token(index)
        }

        var isCancelled: Bool { outerToken?.isCancelled ?? false || ownToken?.isCancelled ?? false }

        func finish(_ result: consuming Result<Response, HTTPError>) { batch.deliver(index, result) }
    }

    package var mostActive: Int { max(1, min(batch.maxConcurrent, batch.requests.count)) }
    package var tokens: [CancellationToken] { ([token] + batch.tokens).compactMap(\.self) }
    package var isOver: Bool { started == batch.requests.count }
    package var nextDue: TimePoint? { nil }

    package func remaining(active: Int) -> Int { batch.requests.count - started }

    package func next(active: Int) -> SourcedCall? {
        guard !isOver, active < mostActive else { return nil }
        defer { started += 1 }
        return SourcedCall(
            request: batch.requests[started], deadline: deadline, owner: Member(batch, started, within: token))
    }

    package func run(wake: @escaping @Sendable () -> Void, _ body: () -> Void) { body() }

    package func fail(_ error: (Request) -> HTTPError) {
        started = batch.requests.count
        for (index, request) in batch.requests.enumerated() { batch.deliver(index, .failure(error(request))) }
    }
}

/// The source of the calls of a batch. Used by the thread of the event loop alone.
package protocol CallSource: AnyObject {
    /// The largest number of concurrent calls.
    var mostActive: Int { get }
    /// Each may end some of the calls.
    var tokens: [CancellationToken] { get }
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

    /// Ends all calls with an error, because there is no loop; none has started.
    func fail(_ error: (Request) -> HTTPError)
}

/// A call for an event loop to start, and the receiver of its result.
package struct SourcedCall {
    package let request: Request
    /// The one around the call, beside the request's own timeout.
    package let deadline: CallDeadline?
    package let owner: any LoopCall
}
