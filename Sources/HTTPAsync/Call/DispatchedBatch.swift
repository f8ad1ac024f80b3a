import HTTPCore

/// Requests that one thread submits to a dispatcher and waits for.
struct DispatchedBatch {
    let client: any HTTPClient
    let requests: [Request]
    let dispatcher: Dispatcher
    let maxConcurrent: Int
    let priority: Dispatcher.Priority
    /// Tokens that end single requests, at the same indices.
    let tokens: [CancellationToken?]

    private let inbox = ResultQueue<Result<Response, HTTPError>>()
    private let ambient = CancellationToken.current

    init(
        _ client: any HTTPClient, _ requests: [Request], on dispatcher: Dispatcher, maxConcurrent: Int,
        priority: Dispatcher.Priority, tokens: [CancellationToken?]
    ) {
        self.client = client
        self.requests = requests
        self.dispatcher = dispatcher
        self.maxConcurrent = max(1, maxConcurrent)
        self.priority = priority
        self.tokens = tokens
    }

    /// Calls `deliver` with each result, on this thread, and returns after the last.
    func execute(_ deliver: (Int, Result<Response, HTTPError>) -> Void) {
        DispatcherThread.giveUpSlot()
        var links: [Int: TokenLink] = [:]
        var started = 0
        func startNext() {
            guard started < requests.count else { return }
            links[started] = start(started)
            started += 1
        }
        for _ in 0..<min(maxConcurrent, requests.count) { startNext() }
        for _ in requests.indices {
            let arrival = inbox.next()
            links.removeValue(forKey: arrival.place)?.remove()
            // Submitted first, since `deliver` may take long.
            startNext()
            deliver(arrival.place, arrival.outcome)
        }
    }

    private func start(_ place: Int) -> TokenLink? {
        let request = requests[place]
        let own = place < tokens.count ? tokens[place] : nil
        let link = TokenLink(own, ambient)
        dispatcher.start(
            dispatcher.call(client, request), priority: priority, token: link?.token ?? own ?? ambient,
            .inbox(inbox, place: place))
        return link
    }
}

/// A token that is cancelled when either of two others is.
private struct TokenLink {
    let token = CancellationToken()
    private let registrations: [CancellationToken.Registration]

    /// Nil unless there are two.
    init?(_ first: CancellationToken?, _ second: CancellationToken?) {
        guard let first, let second, first !== second else { return nil }
        registrations = [first, second].map { [token] in $0.onCancel { token.cancel() } }
    }

    func remove() { for registration in registrations { registration.remove() } }
}
