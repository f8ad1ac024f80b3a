extension MockServer {
    /// The expected number of requests. A literal means exactly that many.
    public struct Count: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
        let range: ClosedRange<Int>

        private init(range: ClosedRange<Int>) { self.range = range }

        public init(integerLiteral count: Int) { self = .exactly(count) }

        /// Exactly this many requests.
        public static func exactly(_ count: Int) -> Count { Count(range: count...count) }
        /// This many requests or more.
        public static func atLeast(_ count: Int) -> Count { Count(range: count...Int.max) }
        /// This many requests or fewer. A negative number counts as 0.
        public static func atMost(_ count: Int) -> Count { Count(range: 0...max(0, count)) }
        /// A number of requests in `range`, both ends included.
        public static func between(_ range: ClosedRange<Int>) -> Count { Count(range: range) }

        public var description: String {
            if range.lowerBound == range.upperBound { return "exactly \(range.lowerBound)" }
            if range.upperBound == .max { return "at least \(range.lowerBound)" }
            if range.lowerBound == 0 { return "at most \(range.upperBound)" }
            return "\(range.lowerBound) to \(range.upperBound)"
        }
    }
}
