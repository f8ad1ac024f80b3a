import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A scripted response, unprocessed.
struct StubResponse: Sendable {
    var status: HTTPStatus
    var reason = ""
    var version = HTTPVersion.http1_1
    var headers: HTTPHeaders
    var trailers: HTTPHeaders = [:]
    /// The body, in the pieces in which it arrives.
    var pieces: [Data]
    /// The announced length; nil for none.
    var length: Int?
    /// The number of bytes after which the body breaks off; nil if it does not.
    var cut: Int?

    init(status: HTTPStatus, headers: HTTPHeaders = [:], pieces: [Data] = []) {
        self.status = status
        self.headers = headers
        self.pieces = pieces
    }

    init(_ response: Response) {
        self.init(status: response.status, headers: response.headers, pieces: [response.body])
        reason = response.reason
        version = response.version
        trailers = response.trailers
        length = response.body.count
    }

    /// The pieces that arrive.
    var arriving: [Data] {
        guard var left = cut else { return pieces }
        return pieces.map { piece in
            defer { left -= min(left, piece.count) }
            return piece.prefix(left)
        }
    }

    /// Why it is incomplete; nil if it is not.
    var truncation: TruncatedBody.Reason? {
        let count = pieces.reduce(0) { $0 + $1.count }
        guard let cut, cut < count else { return nil }
        return length == nil ? .chunked : .contentLength(expected: Int64(count))
    }
}
