/// Drives a job to its outcome without a slot of its dispatcher; only its exchanges occupy slots.
protocol CallDriver: AnyObject, Sendable {
    /// Begins on this thread, with the caller's task-local values. The outcome is reported by `report`.
    func start(_ call: Job<RequestWork>, priority: Dispatcher.Priority)

    /// Ends the call, whose job is marked as cancelled. Any thread may call it, also before the call was started.
    func cancel()

    /// The reader of its body wants no more. A cancellation follows.
    func noteLeft()

    /// Its task got a higher priority. Any thread may call it, also before the call was started.
    func raise(to priority: Dispatcher.Priority)
}

extension Dispatcher {
    /// The driver for calls of `client`; nil for calls that a thread or an agent makes.
    func driver(for client: any HTTPClient) -> (any CallDriver)? {
        // The types are compared first, by `==`: a cast that fails takes half as long as a policy, and `is` is a cast.
        let type = type(of: client) as any HTTPClient.Type
        if type == PolicyClient.self, let client = client as? PolicyClient {
            // Only threads can wait for a clock of its own.
            return client.isOnSystemClock ? PolicyDriver(client, on: self) : nil
        }
        if type == SuspendingClient.self { return (client as? SuspendingClient).map { TaskDriver($0, on: self) } }
        return nil
    }
}
