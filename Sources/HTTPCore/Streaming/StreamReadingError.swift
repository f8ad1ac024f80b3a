/// Why a stream of lines or events cannot be read further. Kept in `BodyFailure.underlying`.
public struct StreamReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = ASCII.printable(description) }

    init(_ tooLong: LineSplitter.LineTooLong, line: Int) {
        self.init("line \(line) is longer than the limit of \(tooLong.limit) bytes: give a higher one")
    }
}
