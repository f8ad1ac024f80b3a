extension Future where Failure: FutureFailure {
    /// The result of the future that ends first, success or failure. The others are cancelled unless they have another
    /// dependent. An empty list fails at once, with this location.
    @inlinable
    public static func race(_ futures: [Future], file: StaticString = #fileID, line: Int = #line) -> Future {
        guard !futures.isEmpty else { return .failure(.emptyList(file: "\(file)", line: line)) }
        return joining(futures) { result, race, budget in
            race.end(result, within: budget)
        }
    }
}
