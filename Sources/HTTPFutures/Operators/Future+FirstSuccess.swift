extension Future where Failure: FutureFailure {
    /// The first value; if all fail, all their failures. The other futures are cancelled unless they have another
    /// dependent. An empty list fails at once, with this location.
    public static func firstSuccess<Each: FutureFailure>(
        _ futures: [Future<Value, Each>], file: StaticString = #fileID, line: Int = #line
    ) -> Future where Failure == AllFailed<Each> {
        guard !futures.isEmpty else { return .failure(.emptyList(file: "\(file)", line: line)) }
        let countdown = Countdown(futures.count)
        return joining(futures) { result, first, budget in
            let isLast = countdown.arrive()
            if case .success(let value) = result {
                first.end(.success(value), within: budget)
            } else if isLast {
                let failures = futures.compactMap { if case .failure(let failure) = $0.result { failure } else { nil } }
                first.settle(.failure(AllFailed(failures)))
            }
        }
    }
}

/// None of several futures succeeded.
public struct AllFailed<Failure: Error>: Error {
    /// The failure of each future, in the given order; or the single failure of the future that waited for them:
    /// cancelled, timed out or broken.
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

    public static func emptyList(file: String, line: Int) -> AllFailed {
        AllFailed([.emptyList(file: file, line: line)])
    }

    public static func circularWait(of promises: [(file: String, line: Int)]) -> AllFailed {
        AllFailed([.circularWait(of: promises)])
    }
}
