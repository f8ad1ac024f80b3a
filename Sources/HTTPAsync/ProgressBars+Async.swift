public import HTTPCore

extension ProgressBars {
    /// Shows the transfer that `work` makes, and marks it as failed if `work` throws.
    ///
    ///     try await bars.track("image") { progress in
    ///         try await client.download(.get(url), to: "image.iso", progress: progress)
    ///     }
    public func track<Value, Failure: Error>(
        _ name: String, isolation: isolated (any Actor)? = #isolation,
        _ work: (@escaping @Sendable (TransferProgress) -> Void) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let bar = add(name)
        do throws(Failure) { return try await work(bar.show) } catch {
            bar.fail()
            throw error
        }
    }
}
