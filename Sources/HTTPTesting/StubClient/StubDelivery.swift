import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the body of an answer goes: to memory or to the request's destination, within its limits.
struct StubDelivery {
    /// Why it did not arrive whole.
    enum Stop: Error {
        case limit(LimitExceeded.Limit, Int)
        case problem(BodyProblem)
        case truncated(TruncatedBody.Reason)
        case cancelled
    }

    private let request: Request
    private let memory = BodyBuffer()
    /// What is in memory, once it is whole.
    private(set) var body = Data()
    /// How many bytes have arrived.
    private(set) var count: Int64 = 0

    init(_ request: Request) { self.request = request }

    mutating func take(
        _ response: StubResponse, _ head: ResponseHead, _ token: CancellationToken?
    ) throws(Stop) {
        let headBytes = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if headBytes > request.limits.headerBytes { throw .limit(.header, request.limits.headerBytes) }
        guard head.mayHaveBody(answering: request.method) else { return }
        let sink = try openSink(response, head)
        do throws(Stop) {
            try take(response, head.status, sink, token)
        } catch {
            sink?.abandon()
            throw error
        }
        body = memory.take()
    }

    private func openSink(_ response: StubResponse, _ head: ResponseHead) throws(Stop) -> BodySink? {
        guard request.needsSink, head.status.isSuccess else { return nil }
        let start = ResponseStart(
            request: request, status: head.status, version: head.version, headers: head.headers,
            bodyLength: response.length.map { Int64($0) })
        do throws(BodyProblem) {
            return try request.openSink(start) { [memory] in
                BodySink { bytes in if !memory.append(bytes) { throw NoMemory() } }
            }
        } catch { throw .problem(error) }
    }

    private mutating func take(
        _ response: StubResponse, _ status: HTTPStatus, _ sink: BodySink?, _ token: CancellationToken?
    ) throws(Stop) {
        // A refusal's body goes to memory, whatever the destination.
        let limits = request.limits
        let limit = status.isSuccess ? limits.bodyBytes : min(limits.bodyBytes, Limits.defaultBodyBytes)
        for piece in response.arriving where !piece.isEmpty {
            if let token, token.isCancelled { throw .cancelled }
            guard count + Int64(piece.count) <= Int64(limit) else { throw .limit(.body, limit) }
            count += Int64(piece.count)
            try write(piece, to: sink)
        }
        if let truncation = response.truncation { throw .truncated(truncation) }
        do { try sink?.finish() } catch { throw .problem(BodyProblem(.sink, error)) }
    }

    private func write(_ piece: Data, to sink: BodySink?) throws(Stop) {
        do {
            try piece.withUnsafeBytes { bytes in
                if let sink { try sink.write(bytes) } else if !memory.append(bytes) { throw NoMemory() }
            }
        } catch { throw .problem(BodyProblem(.sink, error)) }
    }
}

/// The machine has no room for the body.
private struct NoMemory: Error, CustomStringConvertible {
    var description: String { "there is no memory for it" }
}

extension UploadStream {
    /// What is left of it.
    mutating func readAll() throws(BodyProblem) -> Data {
        var bytes = Data()
        while !isFinished {
            var room = Data(count: 64 << 10)
            let count = try room.withUnsafeMutableBytes { room in
                Result { () throws(BodyProblem) in try give(into: room) }
            }.get()
            bytes.append(room.prefix(count))
        }
        return bytes
    }
}
