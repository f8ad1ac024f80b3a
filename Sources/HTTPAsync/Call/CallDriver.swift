import HTTPCore

/// Takes a call to its outcome without a slot of its dispatcher: only the exchanges that it makes on the way have one.
protocol CallDriver: AnyObject, Sendable {
    /// Begins on this thread, in the caller's surroundings. The call is told the outcome by `leaveDriver`.
    func start(_ call: Call<RequestWork>, priority: Dispatcher.Priority)

    /// The call is to end. From any thread, any number of times, also before it was started.
    func cancel()
}

extension Dispatcher {
    /// What takes calls of `client` to their outcome; nil where a slot and a thread, or a feed, do.
    func driver(for client: any HTTPClient) -> (any CallDriver)? {
        // Their types are compared first: to try a cast takes as long as half of what a policy costs.
        switch type(of: client) {
        case is PolicyClient.Type: (client as? PolicyClient).flatMap { PolicyDriver($0, on: self) }
        case is SuspendingClient.Type: (client as? SuspendingClient).map { TaskDriver($0, on: self) }
        default: nil
        }
    }
}
