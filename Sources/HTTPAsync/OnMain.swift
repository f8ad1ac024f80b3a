import Dispatch

/// A callback that may use what belongs to the main actor: views, models, the state of an app.
///
///     client.executeRequest(request, callbackQueue: .main, onMain { result in self.show(result) })
///     client.future(for: request).onSuccess(onMain { response in self.show(response) })
///     try await client.send(request |> .downloadProgress(onMain { self.progress = $0 }))
///
/// It runs on the main actor, soon after the value is there and, if you call on the main thread, never before the call
/// returns. Values come in the order in which they were passed. The thread of the call does not wait for it. The main
/// thread needs a run loop: a command-line program calls `dispatchMain()`.
public func onMain<Value: Sendable>(_ body: @escaping @MainActor (Value) -> Void) -> @Sendable (Value) -> Void {
    // A queue keeps the order; tasks of an actor need not.
    { value in DispatchQueue.main.async { MainActor.assumeIsolated { body(value) } } }
}
