import HTTPCore

/// Makes a list of requests in one event loop, on the thread of the caller.
struct CurlBatch {
    private let batch: RequestBatch
    private let defaultVersion: VersionPolicy
    // Those around the whole batch.
    private let token: CancellationToken?
    private let deadline: CallDeadline?

    init(_ batch: RequestBatch, defaultVersion: VersionPolicy) {
        self.batch = batch
        self.defaultVersion = defaultVersion
        token = .current
        deadline = .current
    }

    /// One of its calls.
    private final class Call: LoopCall {
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

    /// Makes all calls, and returns when the last one is over.
    func run(in loop: CurlEventLoop) {
        let tokens = ([token] + batch.tokens).compactMap(\.self)
        let registrations = tokens.map { $0.onCancel { loop.noteCancellation() } }
        defer { for registration in registrations { registration.remove() } }
        loop.connections.expect(calls: min(batch.maxConcurrent, batch.requests.count))
        BrokenPipeGuard.around { makeCalls(in: loop) }
        loop.rest()
    }

    private func makeCalls(in loop: CurlEventLoop) {
        let most = max(1, batch.maxConcurrent)
        var index = 0
        while true {
            while loop.active < most, index < batch.requests.count {
                let call = CurlCall(batch.requests[index], within: deadline, defaultVersion: defaultVersion)
                loop.start(call, for: Call(batch, index, within: token))
                index += 1
            }
            loop.connections.limit(active: index == batch.requests.count ? 0 : loop.active)
            guard loop.active > 0 else { return }
            loop.runReady(within: loop.runDue())
        }
    }
}

extension CurlTransport: EventLoopClient {
    package var feed: any CallFeed { agent }

    package func execute(_ batch: RequestBatch) {
        guard !batch.requests.isEmpty else { return }
        do throws(Unsupported) {
            let loop = try pool.checkOutLoop(at: .now)
            CurlBatch(batch, defaultVersion: configuration.version).run(in: loop)
            pool.checkIn(loop)
        } catch {
            for (index, request) in batch.requests.enumerated() {
                batch.deliver(index, .failure(HTTPError(error, sending: request)))
            }
        }
    }
}
