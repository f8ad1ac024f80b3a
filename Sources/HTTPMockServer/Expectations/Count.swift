extension MockServer {
    /// How many requests are expected. A number alone means exactly so many.
    public struct Count: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
        let range: ClosedRange<Int>

        private init(range: ClosedRange<Int>) { self.range = range }

        public init(integerLiteral count: Int) { self = .exactly(count) }

        public static func exactly(_ count: Int) -> Count { Count(range: count...count) }
        public static func atLeast(_ count: Int) -> Count { Count(range: count...Int.max) }
        public static func atMost(_ count: Int) -> Count { Count(range: 0...max(0, count)) }
        public static func between(_ range: ClosedRange<Int>) -> Count { Count(range: range) }

        public var description: String {
            if range.lowerBound == range.upperBound { return "exactly \(range.lowerBound)" }
            if range.upperBound == .max { return "at least \(range.lowerBound)" }
            if range.lowerBound == 0 { return "at most \(range.upperBound)" }
            return "\(range.lowerBound) to \(range.upperBound)"
        }
    }
}
