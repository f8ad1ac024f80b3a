public import HTTPFoundation
import HTTPSupport

extension RequestBody {
    /// A body of the elements of an asynchronous sequence, sent while they arrive.
    ///
    ///     client.stream(.post(url) |> .stream(of: readings), as: .chunks)      // streamed both ways
    ///
    /// At most a few elements are buffered. The next one may take as long as it likes: the idle limit does not count that
    /// time, but `.timeout(_:)` and a cancellation end the call meanwhile. So do, over libcurl, a response that refuses the
    /// body, the end of the connection and, over HTTP/2, a whole response if nothing is sent for a second; over HTTP/1.1 the
    /// rest of the body is sent behind that. Compressed and in a multipart body, only `.timeout(_:)` and a
    /// cancellation are noticed before the next element. Each exchange iterates the sequence in a task of its own, which
    /// is cancelled if the call ends first.
    ///
    /// - Parameters:
    ///   - elements: The pieces of the body.
    ///   - length: The number of bytes. A sequence with more or fewer fails the call, so the last of them are sent when
    ///     it has ended. Nil for unknown: sent in chunks on HTTP/1.1.
    ///   - contentType: The media type, unless the request has set one, or a later step removes it; nil sends none.
    ///   - isReplayable: Whether a second iteration gives the same bytes. If not, a 307 or 308 that needs it
    ///     again fails the call, and `.retry()` does not repeat it.
    public static func stream<Elements: AsyncSequence & Sendable>(
        of elements: Elements, length: Int64? = nil, contentType: String? = "application/octet-stream",
        replayable isReplayable: Bool = false
    ) -> RequestBody where Elements.Element: DataProtocol {
        .stream(length: length, contentType: contentType, replayable: isReplayable) {
            AwaitedBody(elements, length: length).source
        }
    }
}

extension RequestStep {
    /// The elements of an asynchronous sequence, sent while they arrive; see `RequestBody.stream(of:)`.
    public static func stream<Elements: AsyncSequence & Sendable>(
        of elements: Elements, length: Int64? = nil, contentType: String? = "application/octet-stream",
        replayable: Bool = false
    ) -> RequestStep where Elements.Element: DataProtocol {
        body(.stream(of: elements, length: length, contentType: contentType, replayable: replayable))
    }
}

/// A request body from an asynchronous sequence: a task takes its elements, a few ahead of the sending thread. The task
/// is cancelled when the body is released.
final class AwaitedBody: Sendable {
    private let channel = Channel<Data>(capacity: 2)
    private let problem = Locked<(any Error)?>(nil)
    private let task: Task<Void, Never>

    init<Elements: AsyncSequence & Sendable>(_ elements: Elements, length: Int64?)
    where Elements.Element: DataProtocol {
        task = Task { [channel, problem] in
            var left = length ?? .max
            // The element with the last announced byte goes with what follows it: whoever sends it has to know that.
            var last: Data?
            var iterator = elements.makeAsyncIterator()
            do {
                while let element = try await iterator.next() {
                    // What waits for an element needs bytes.
                    if element.isEmpty { continue }
                    if let last = last.take() { try await channel.sendAwaiting(last) }
                    let data = Data(element)
                    left -= Int64(data.count)
                    if left > 0 { try await channel.sendAwaiting(data) } else { last = data }
                }
                if let last { try await channel.sendAwaiting(last) }
            } catch {
                problem.withLock { $0 = error }
                // A sequence learns of the cancellation when it is asked.
                if Task.isCancelled { _ = try? await iterator.next() }
            }
            channel.finish(.success(()))
        }
    }

    deinit {
        task.cancel()
        channel.close()
    }

    /// For the sending thread.
    var source: BodySource { .pieces(isReady: channel.hasItem) { try self.next() } }

    private func next() throws -> Data? {
        switch channel.nextBlocking(until: CallDeadline.current?.point) {
        case .element(let data): return data
        // Only a cancelled call closes the channel during this wait.
        case .end(.failure): throw ResponseFault { .cancelled($0) }
        case .end(.success):
            if let error = problem.withLock({ $0 }) { throw error }
            return nil
        case nil:
            channel.close()
            throw ResponseFault { [deadline = CallDeadline.current] in .timedOut(deadline, $0) }
        }
    }
}
