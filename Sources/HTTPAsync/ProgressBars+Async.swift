public import HTTPCore

extension ProgressBars {
    /// Shows the transfer made by `work`, and marks it as finished when `work` returns, or as failed when it throws.
    ///
    ///     try await bars.track("image") { progress in
    ///         try await client.download(.get(url), to: "image.iso", progress: progress)
    ///     }
    ///
    /// It throws the error of `work`. The compiler infers `any Error` for a closure: if the error's type matters,
    /// declare it, as in `{ (progress) async throws(HTTPError) in … }`.
    public func track<Value, Failure: Error>(
        _ name: String, isolation: isolated (any Actor)? = #isolation,
        _ work: (@escaping @Sendable (TransferProgress) -> Void) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let bar = add(name)
        do throws(Failure) {
            let value = try await work(bar.show)
            bar.finish()
            return value
        } catch {
            bar.fail()
            throw error
        }
    }
}
