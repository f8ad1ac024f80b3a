import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response's body as it is taken: to memory or to a sink, held to its limit. Used by one thread at a time.
struct SessionBody {
    /// Why no more is taken.
    enum Stop: Error {
        case tooLarge(limit: Int)
        case problem(BodyProblem)
    }

    private let memory = BodyBuffer()
    private var sink: BodySink?
    private var limit: Int
    /// How many bytes were taken.
    private(set) var count: Int64 = 0

    init(limit: Int) { self.limit = limit }

    /// Gets ready for the body behind `head`. A refusal's goes to memory, whatever the destination.
    mutating func open(_ head: ResponseHead, answering request: Request) throws(Stop) {
        let isCoded = head.headers.contains("Content-Encoding")
        if request.needsSink {
            if head.status.isSuccess {
                let start = ResponseStart(
                    request: request, status: head.status, version: head.version, headers: head.headers,
                    bodyLength: isCoded ? nil : head.contentLength)
                do {
                    sink = try request.openSink(start) { [memory] in
                        BodySink { bytes in
                            guard memory.append(bytes) else { throw NoMemory() }
                        }
                    }
                } catch { throw .problem(error) }
            } else {
                limit = min(limit, Limits.defaultBodyBytes)
            }
        }
        if !isCoded, let length = head.contentLength, length > limit { throw .tooLarge(limit: limit) }
    }

    mutating func take(_ data: Data) throws(Stop) {
        guard count + Int64(data.count) <= Int64(limit) else { throw .tooLarge(limit: limit) }
        count += Int64(data.count)
        let result = data.withUnsafeBytes { bytes in Result { () throws(Stop) in try append(bytes) } }
        try result.get()
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(Stop) {
        guard let sink else {
            guard memory.append(bytes) else { throw .tooLarge(limit: limit) }
            return
        }
        do { try sink.write(bytes) } catch { throw .problem(BodyProblem(.sink, error)) }
    }

    /// The body is whole. What is in memory comes back.
    mutating func finish() throws(Stop) -> Data {
        guard let sink else { return memory.take() }
        self.sink = nil
        do { try sink.finish() } catch {
            sink.abandon()
            throw .problem(BodyProblem(.sink, error))
        }
        return memory.take()
    }

    /// The exchange failed.
    mutating func abandon() {
        sink?.abandon()
        sink = nil
    }
}

/// The machine has no room for the body.
private struct NoMemory: Error, CustomStringConvertible {
    var description: String { "there is no memory for it" }
}
