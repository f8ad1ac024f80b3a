import Foundation

// Everything of Foundation whose safety this module vouches for itself.

#if canImport(FoundationNetworking)
/// Runs what a session reports where it is reported: on the one working queue of all sessions.
///
/// It has no state of its own.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#else
/// Two streams, of which one gives what is written to the other.
///
/// `writer` is touched by the calling thread alone, `reader` by the session alone once a task has it.
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
