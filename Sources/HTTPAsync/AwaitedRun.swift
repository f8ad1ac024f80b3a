extension CallDeadline {
    /// Awaits `operation` with this deadline as `current`, unless `current` is earlier.
    ///
    ///     try await CallDeadline(.seconds(30)).run { try await client.send(first) }
    public func run<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await Self.$current.withValue(Self.earlier(self, Self.current)) { await result(of: operation) }.get()
    }
}

extension Optional where Wrapped == CallDeadline {
    /// The same with a deadline that may be missing, such as that of an incoming request: without one, `current` stays.
    public func run<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let self else { return try await operation() }
        return try await self.run(operation)
    }
}

extension CancellationToken {
    /// Awaits `operation` under this token, which ends its calls as a cancelled task does. Inside another token's `run`,
    /// cancelling either of them ends the calls.
    ///
    ///     try await token.run { try await client.send(request) }
    public func run<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await Self.$current.withValue(nested) { await result(of: operation) }.get()
    }
}

extension TraceContext {
    /// Awaits `operation` with this context as `current`.
    public func run<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await Self.$current.withValue(self) { await result(of: operation) }.get()
    }
}

extension Optional where Wrapped == TraceContext {
    /// The same with a context that may be missing, such as that of an incoming request: then `current` stays.
    public func run<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let self else { return try await operation() }
        return try await self.run(operation)
    }
}

/// `withValue` throws any error, so it gets none.
private func result<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, of operation: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
    do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
}
