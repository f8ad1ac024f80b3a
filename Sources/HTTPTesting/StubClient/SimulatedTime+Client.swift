extension SimulatedTime {
    /// `client` for interceptors in simulated time: their waits take no real time, while the calls themselves do.
    ///
    ///     let client = time.around(CurlTransport()).intercepted(by: .retry())
    public func around(_ client: any HTTPClient) -> any HTTPClient { TimedClient(client: client, time: self) }
}

private struct TimedClient: ClockedClient, WrappingClient {
    let client: any HTTPClient
    let time: SimulatedTime

    var clock: CallClock { time.clock }
    var answersItself: Bool { client.isOffline }
    var wrapped: any HTTPClient { client }
    var mayChangeRequests: Bool { false }

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        time.leave { client.executeRequest(request) }
    }
}
