/// A text and its gzip encoding.
enum CodedText {
    static let text = "hello, hello, hello\n"
    static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 215, 81, 200, 64, 162, 184, 0, 231, 66, 110, 82, 20,
        0, 0, 0,
    ]

    /// A million zeros.
    static let bomb: [UInt8] =
        [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 1, 1, 0, 0, 0, 130, 32, 255, 175, 110, 72, 64, 1]
        + Array(repeating: 0, count: 968)
        + [175, 6, 158, 203, 121, 18, 64, 66, 15, 0]
}

/// Content that reveals misplaced bytes.
enum MarkedContent {
    static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }
}
