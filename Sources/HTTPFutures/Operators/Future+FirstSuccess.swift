extension Future where Failure: FutureFailure {
    /// The first value to come; if all fail, the last failure to come. The others are cancelled, where nothing else needs
    /// them. With none it is a broken promise of this place.
    @inlinable
    public static func firstSuccess(_ futures: [Future], file: StaticString = #fileID, line: Int = #line) -> Future {
        guard !futures.isEmpty else { return .failure(.brokenPromise(file: "\(file)", line: line)) }
        let countdown = Countdown(futures.count)
        return joining(futures) { result, first in
            let isLast = countdown.arrive()
            if case .success = result { first.end(result) } else if isLast { first.settle(result) }
        }
    }
}
