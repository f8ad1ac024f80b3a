extension Future where Failure: FutureFailure {
    /// The result of whichever ends first, in success or failure. The others are cancelled, where nothing else needs
    /// them. A race of none is a broken promise of this place.
    @inlinable
    public static func race(_ futures: [Future], file: StaticString = #fileID, line: Int = #line) -> Future {
        guard !futures.isEmpty else { return .failure(.brokenPromise(file: "\(file)", line: line)) }
        return joining(futures) { result, race, budget in
            race.limit(budget)
            race.end(result)
        }
    }
}
