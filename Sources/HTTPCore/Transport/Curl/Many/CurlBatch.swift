#if canImport(CLibcurl)

/// A list of requests as a loop takes it.
struct CurlBatch: CurlCallSource {
    private let batch: RequestBatch
    private let defaultVersion: VersionPolicy
    // Those around the whole batch.
    private let token: CancellationToken?
    private let deadline: CallDeadline?
    private var position = 0

    init(_ batch: RequestBatch, defaultVersion: VersionPolicy) {
        self.batch = batch
        self.defaultVersion = defaultVersion
        token = .current
        deadline = .current
    }

    var isExhausted: Bool { position == batch.requests.count }

    mutating func next() -> Int? {
        guard position < batch.requests.count else { return nil }
        defer { position += 1 }
        return position
    }

    func call(for item: Int) -> CurlCall {
        CurlCall(batch.requests[item], within: deadline, defaultVersion: defaultVersion)
    }

    func isCancelled(_ item: Int) -> Bool {
        token?.isCancelled ?? false || batch.token(item)?.isCancelled ?? false
    }

    func deliver(_ result: consuming Result<Response, HTTPError>, of item: Int, isLast: Bool) {
        batch.deliver(item, result)
    }

    func mayWait() -> Bool { true }

    /// Makes all calls in `hub`, on this thread.
    func run(in hub: CurlHub) {
        let tokens = ([token] + batch.tokens).compactMap(\.self)
        let registrations = tokens.map { $0.onCancel { [alarm = hub.alarm] in alarm.ring() } }
        defer { for registration in registrations { registration.remove() } }
        hub.expect(calls: min(batch.maxConcurrent, batch.requests.count))
        var loop = CurlLoop(self, in: hub, limit: batch.maxConcurrent)
        BrokenPipeGuard.around {
            while loop.fill() { loop.turn() }
            loop.close()
        }
    }
}

extension CurlTransport: BatchingClient {
    package func execute(_ batch: RequestBatch) {
        guard !batch.requests.isEmpty else { return }
        do throws(Unsupported) {
            let hub = try pool.checkOutHub(at: .now)
            CurlBatch(batch, defaultVersion: configuration.version).run(in: hub)
            pool.checkIn(hub)
        } catch {
            for (index, request) in batch.requests.enumerated() {
                batch.deliver(index, .failure(HTTPError(error, sending: request)))
            }
        }
    }
}
#endif
