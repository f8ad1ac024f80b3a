/// A body while it is sent, held to its announced length. Used by one thread at a time.
package struct UploadStream {
    /// The announced length, in bytes; nil if it is not known before the end.
    package let length: Int64?
    private let source: BodySource
    /// The file that the bytes come from, if there is one.
    private let file: FileReader?
    /// How many bytes were given.
    package private(set) var given: Int64 = 0
    package private(set) var isFinished = false
    private var tally: ProgressTally?

    init(length: Int64?, _ source: BodySource, file: FileReader? = nil) throws(BodyProblem) {
        self.length = length
        self.source = source
        self.file = file
        if length == 0 { try finish(0) }
    }

    package init(_ file: FileReader) throws(BodyProblem) {
        try self.init(length: file.size, BodySource(file.read), file: file)
    }

    mutating func watch(by tally: ProgressTally) { self.tally = tally }

    /// Whether `give(into:)` need not wait; if it must, `resume` is called when it need not, from any thread.
    package func isReady(orCall resume: @escaping @Sendable () -> Void) -> Bool { source.isReady?(resume) ?? true }

    /// Writes the next bytes and returns their number; 0 at the end. If more bytes follow than announced, the last ones
    /// are withheld, so that the request is never complete.
    package mutating func give(into room: UnsafeMutableRawBufferPointer) throws(BodyProblem) -> Int {
        guard !isFinished, !room.isEmpty else { return 0 }
        let left = length.map { Int(min(Int64(room.count), $0 - given)) } ?? room.count
        let count = try pull(into: UnsafeMutableRawBufferPointer(rebasing: room[..<left]))
        given += Int64(count)
        if let length, count == 0 { throw wrongLength(expected: length, actual: given) }
        if count == 0 { isFinished = true }
        if let length, given == length { try finish(length) }
        if count > 0 { tally?.add(count) }
        if isFinished { tally?.finish() }
        return count
    }

    /// Fails if more bytes follow.
    private mutating func finish(_ length: Int64) throws(BodyProblem) {
        let surplus = try withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { scratch in
            Result { () throws(BodyProblem) in try pull(into: scratch) }
        }.get()
        guard surplus == 0 else { throw wrongLength(expected: length, actual: length + Int64(surplus)) }
        isFinished = true
    }

    private func pull(into room: UnsafeMutableRawBufferPointer) throws(BodyProblem) -> Int {
        let count: Int
        do { count = try source.read(room) } catch { throw BodyProblem(.source, error) }
        guard (0...room.count).contains(count) else {
            let words = "it says that it read \(count) bytes into room for \(room.count)"
            throw BodyProblem(.source, BrokenBodyContract(description: words))
        }
        return count
    }

    private func wrongLength(expected: Int64, actual: Int64) -> BodyProblem {
        if let file {
            // The system tells a size of 0 for files that it makes up as they are read.
            let size = file.currentSize.flatMap { $0 == expected ? nil : $0 }
            return BodyProblem(.changedFile(expected: expected, actual: size ?? actual), path: file.path)
        }
        return BodyProblem(
            actual < expected
                ? .sourceTooShort(expected: expected, actual: actual)
                : .sourceTooLong(expected: expected, atLeast: actual))
    }
}
