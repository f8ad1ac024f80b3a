extension [Double] {
    /// The middle value, or the mean of the two in the middle; 0 of no values.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The value below which `fraction` of the values lie; 0 of no values.
    func quantile(_ fraction: Double) -> Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[Swift.min(Int(Double(sorted.count) * fraction), sorted.count - 1)]
    }
}
