/// Splits bytes that arrive in pieces into lines. A line ends with LF, CR LF or CR, which is not part of it. CR LF may
/// be split over two pieces.
struct LineSplitter {
    /// The maximum length of a line, in bytes, without its ending.
    let limit: Int
    /// The start of a line whose end has not arrived.
    private var partial: [UInt8] = []
    /// Whether the last byte was a CR: an LF that follows belongs to the same line end.
    private var endedInCarriageReturn = false

    /// A line is longer than the limit. Its bytes are not kept.
    struct LineTooLong: Error, Hashable {
        let limit: Int
    }

    init(limit: Int) { self.limit = limit }

    /// Splits `bytes` at the line ends. The rest is kept until more bytes arrive.
    mutating func split<Failure: Error>(
        _ bytes: UnsafeBufferPointer<UInt8>, into line: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> LineTooLong? {
        var start = 0
        while start < bytes.count {
            if endedInCarriageReturn, bytes[start] == 0x0A { start += 1 }
            endedInCarriageReturn = false
            let rest = UnsafeBufferPointer(rebasing: bytes[start...])
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D }
            guard partial.count + (end ?? rest.count) <= limit else {
                partial = []
                return LineTooLong(limit: limit)
            }
            guard let end else {
                partial.append(contentsOf: rest)
                return nil
            }
            endedInCarriageReturn = rest[end] == 0x0D
            try emit(UnsafeBufferPointer(rebasing: rest[..<end]), to: line)
            start += end + 1
        }
        return nil
    }

    /// The last line, if the bytes end without a line end.
    mutating func finish<Failure: Error>(
        into line: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        guard !partial.isEmpty else { return }
        try emit(UnsafeBufferPointer(start: nil, count: 0), to: line)
    }

    private mutating func emit<Failure: Error>(
        _ end: UnsafeBufferPointer<UInt8>, to line: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        guard !partial.isEmpty else { return try line(end) }
        partial.append(contentsOf: end)
        // The bytes are removed first, so that a line that throws is not delivered again.
        let whole = partial
        partial = []
        let result = whole.withUnsafeBufferPointer { whole in
            Result { () throws(Failure) in try line(whole) }
        }
        try result.get()
    }
}

extension StreamReadingError {
    init(_ tooLong: LineSplitter.LineTooLong, line: Int) {
        self.init("line \(line) is longer than the limit of \(tooLong.limit) bytes: give a higher one")
    }
}
