public import HTTPCore

extension HTTPClient {
    /// This client for interceptors in simulated time: their waits take no real time, while the calls themselves do.
    ///
    ///     let client = CurlTransport().inSimulatedTime(time).intercepted(by: .retry())
    public func inSimulatedTime(_ time: SimulatedTime) -> any HTTPClient { TimedClient(client: self, time: time) }
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
