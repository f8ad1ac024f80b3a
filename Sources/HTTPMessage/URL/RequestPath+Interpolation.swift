extension RequestPath: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(text: text, problem: nil) }

    public init(stringInterpolation: StringInterpolation) {
        var interpolation = stringInterpolation
        interpolation.endSegment(before: interpolation.text.utf8.count)
        self.init(text: interpolation.text, problem: interpolation.problem)
    }

    /// Builds a path and checks the segments that contain interpolated values.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        var problem: String?
        /// In bytes.
        private var segmentStart = 0
        var holdsValue = false
        private var isInPath = true

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        public mutating func appendLiteral(_ literal: String) {
            var end = text.utf8.count
            text += literal
            guard isInPath else { return }
            for byte in literal.utf8 {
                if ASCII.endsAuthority(byte) {
                    endSegment(before: end)
                    segmentStart = end + 1
                    isInPath = byte == UInt8(ascii: "/")
                    guard isInPath else { return }
                }
                end += 1
            }
        }

        /// One segment, or part of one.
        public mutating func appendInterpolation(_ value: String) {
            text += PercentEncoding.component(value)
            holdsValue = true
        }

        /// Checks the segment if it contains an interpolated value.
        fileprivate mutating func endSegment(before end: Int) {
            guard holdsValue, isInPath, problem == nil else { return }
            holdsValue = false
            let segment = Substring(text.utf8.dropFirst(segmentStart).prefix(end - segmentStart))
            if segment.isEmpty {
                problem = "a value in the path is empty: the path would name another resource"
            } else if DotSegments.isOne(segment) {
                problem = "a value in the path makes the segment \"\(segment)\", which leads elsewhere"
            }
        }
    }
}
