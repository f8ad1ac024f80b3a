extension Future where Failure: FutureFailure {
    /// The first value to come; if all fail, all their failures. The others are cancelled, where nothing else needs them.
    /// With none it is a broken promise of this place.
    public static func firstSuccess<Each: FutureFailure>(
        _ futures: [Future<Value, Each>], file: StaticString = #fileID, line: Int = #line
    ) -> Future where Failure == AllFailed<Each> {
        guard !futures.isEmpty else { return .failure(.brokenPromise(file: "\(file)", line: line)) }
        let countdown = Countdown(futures.count)
        return joining(futures) { result, first, budget in
            let isLast = countdown.arrive()
            if case .success(let value) = result {
                first.limit(budget)
                first.end(.success(value))
            } else if isLast {
                let failures = futures.compactMap { if case .failure(let failure) = $0.result { failure } else { nil } }
                first.settle(.failure(AllFailed(failures)))
            }
        }
    }
}

/// That none of several futures came to a value, and why.
public struct AllFailed<Failure: Error>: Error {
    /// The failure of each future, in the order in which they were given; or the only one of the future that waited for
    /// them: cancelled, out of time or broken.
    public let failures: [Failure]

    /// An error of these failures.
    public init(_ failures: [Failure]) { self.failures = failures }
}

extension AllFailed: Equatable where Failure: Equatable {}

extension AllFailed: FutureFailure where Failure: FutureFailure {
    public static var cancelled: AllFailed { AllFailed([.cancelled]) }

    public static func timedOut(after limit: Duration) -> AllFailed { AllFailed([.timedOut(after: limit)]) }

    public static func brokenPromise(file: String, line: Int) -> AllFailed {
        AllFailed([.brokenPromise(file: file, line: line)])
    }
}
