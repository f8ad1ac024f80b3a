extension Future {
    /// The same value, `delay` later. A failure is not delayed.
    public func delay(_ delay: Duration) -> Future {
        derive(on: nil, startsWork: { $0.isSuccess }) { result in
            guard case .success = result else { return .settled(result) }
            return .pending(.later(result, after: delay))
        }
    }
}
