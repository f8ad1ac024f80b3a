import HTTPCore
import HTTPEngine

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The delivery of a response to the caller.
extension StubCall {
    /// Nil for a redirect that is followed.
    mutating func deliver(_ response: StubResponse) throws(HTTPError) -> Response? {
        let head: ResponseHead
        do {
            head = try ResponseHead(version: response.version, status: response.status, headers: response.headers)
        } catch {
            throw .protocolViolation(ProtocolViolation(error.reason, record: record(.receiving)))
        }
        var receiver = ResponseReceiver()
        receiver.begin(plan.request)
        defer { receiver.end() }
        let isBodyWanted = try receiving { () throws(ResponseReceiver.Stop) in
            try receiver.expectBody(behind: head, response.length.map(Int64.init))
        }
        if isBodyWanted { try deliver(response, to: &receiver) }
        let record = record(.receiving)
        switch plan.advance(after: .answered(head), record: { _ in record }) {
        case .send: return nil
        case .fail(let error): throw error
        case .deliver:
            return Response(
                request: plan.answered, status: head.status, reason: response.reason, version: head.version,
                headers: head.headers, trailers: response.trailers, body: receiver.takeBody(),
                bodyByteCount: receiver.byteCount, metrics: metrics(received: receiver.byteCount),
                redirects: plan.redirects)
        }
    }

    private func deliver(_ response: StubResponse, to receiver: inout ResponseReceiver) throws(HTTPError) {
        for piece in response.arriving where !piece.isEmpty {
            if let token, token.isCancelled {
                guard receiver.headIfLeft == nil else { return }
                throw .cancelled(record(.receiving))
            }
            let isMoreWanted = try receiving { () throws(ResponseReceiver.Stop) in
                try receiver.take(piece)
                return true
            }
            guard isMoreWanted else { return }
        }
        if let reason = response.truncation {
            throw .truncatedBody(TruncatedBody(reason, received: receiver.byteCount, record: record(.receiving)))
        }
        _ = try receiving { () throws(ResponseReceiver.Stop) in
            try receiver.finish()
            return true
        }
    }

    /// False if no more is to be received, although nothing has failed.
    private func receiving(_ step: () throws(ResponseReceiver.Stop) -> Bool) throws(HTTPError) -> Bool {
        do { return try step() } catch {
            guard case .enough = error else { throw error.error(record(.receiving)) }
            return false
        }
    }
}

extension UploadStream {
    /// The rest of the body.
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
