import HTTPEngine
import HTTPCore

extension ResponseHead {
    /// Parses `text` as received, including line ends.
    package convenience init(reading text: String) throws(Violation) { try self.init(bytes: Array(text.utf8)) }

    package convenience init(bytes: [UInt8]) throws(Violation) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { copy.deallocate() }
        _ = copy.initialize(from: bytes)
        try self.init(UnsafeBufferPointer(copy))
    }

    /// A redirect, or any other answer with these headers.
    package static func answer(_ status: HTTPStatus, _ headers: [(String, String)] = []) -> ResponseHead {
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        do { return try ResponseHead(reading: "HTTP/1.1 \(status) X\r\n\(lines)\r\n") } catch {
            fatalError(error.reason)
        }
    }

    package static func redirect(_ status: HTTPStatus, to location: String) -> ResponseHead {
        answer(status, [("Location", location)])
    }
}

extension RedirectDecision {
    package init(_ head: ResponseHead, answering request: Request, after hops: [RedirectHop]) {
        self.init(head.status, head.headers, answering: request, after: hops)
    }

    package var next: Request? { if case .follow(let request, _) = self { request } else { nil } }
    package var hop: RedirectHop? { if case .follow(_, let hop) = self { hop } else { nil } }
    package var refusal: RedirectFailure.Reason? { if case .refuse(let reason, _) = self { reason } else { nil } }
    package var isFinal: Bool { if case .final = self { true } else { false } }
}
