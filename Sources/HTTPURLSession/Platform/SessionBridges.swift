import Foundation

// All uses of Foundation types whose thread-safety this module asserts itself.

#if canImport(FoundationNetworking)
/// Runs the reports of a session on the queue that makes them, the one work queue of all sessions.
///
/// It has no state of its own.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#else
/// A bound pair of streams: the reader gets what is written to the writer.
///
/// Only the calling thread uses `writer`, and only the session uses `reader` once a task has it.
final class StreamPair: @unchecked Sendable {
    let reader: InputStream
    let writer: OutputStream

    init?(capacity: Int) {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: capacity, inputStream: &input, outputStream: &output)
        guard let input, let output else { return nil }
        (reader, writer) = (input, output)
    }
}
#endif
