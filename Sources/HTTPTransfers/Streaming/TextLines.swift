import HTTPFoundation

/// The lines of a response body as text, as they arrive. Used only on the thread of its call.
final class TextLines {
    private let charset: String?
    private let take: (String, _ number: Int) throws -> Void
    private var splitter: LineSplitter
    private var number = 0

    /// Throws for a charset whose line ends are not single bytes: it cannot be split into lines before decoding.
    init(
        _ start: ResponseStart, limit: Int, take: @escaping (String, _ number: Int) throws -> Void
    ) throws(StreamReadingError) {
        charset = start.headers.mediaType?.charset
        if let charset, charset.hasPrefix("utf-32") || TextEncoding.named(charset)?.isWide ?? false {
            throw Self.wide(charset)
        }
        splitter = LineSplitter(limit: limit)
        self.take = take
    }

    private static func wide(_ charset: String) -> StreamReadingError {
        StreamReadingError("lines of \(charset) cannot be read as they come: read the whole body")
    }

    var sink: BodySink { BodySink(write: write, finish: finish) }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        let tooLong = try bytes.withMemoryRebound(to: UInt8.self) { try splitter.split($0, into: takeLine) }
        if let tooLong { throw StreamReadingError(tooLong, line: number + 1) }
    }

    private func finish() throws { try splitter.finish(into: takeLine) }

    private func takeLine(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        number += 1
        if number == 1, bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw Self.wide("utf-16")
        }
        let isMarked = number == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let content = isMarked ? UnsafeBufferPointer(rebasing: bytes.dropFirst(3)) : bytes
        try take(try text(content), number)
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(StreamReadingError) -> String {
        // Nearly all streams have no charset or UTF-8. What would be a byte order mark in the first line is text in any other.
        let isUTF8 = charset.map { $0 == "utf-8" || TextEncoding.named($0) == .utf8 } ?? true
        if isUTF8, let text = String(validating: bytes, as: UTF8.self) { return text }
        do {
            let label = charset ?? "utf-8"
            guard TextEncoding.named(label) != nil else {
                return try TextDecoding.decode(Data(bytes), charset: charset)
            }
            return try TextDecoding.decode(Data(bytes), as: label)
        } catch {
            throw StreamReadingError("line \(number) is not text: \(error)")
        }
    }
}
