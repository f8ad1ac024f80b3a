import HTTPEngine
import HTTPCore

extension ResponseHead {
    /// Parses `text` as received, including line ends.
    convenience init(reading text: String) throws(Violation) { try self.init(bytes: Array(text.utf8)) }

    convenience init(bytes: [UInt8]) throws(Violation) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { copy.deallocate() }
        _ = copy.initialize(from: bytes)
        try self.init(UnsafeBufferPointer(copy))
    }

    /// A redirect, or any other answer with these headers.
    static func answer(_ status: HTTPStatus, _ headers: [(String, String)] = []) -> ResponseHead {
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        do { return try ResponseHead(reading: "HTTP/1.1 \(status) X\r\n\(lines)\r\n") } catch {
            fatalError(error.reason)
        }
    }

    static func redirect(_ status: HTTPStatus, to location: String) -> ResponseHead {
        answer(status, [("Location", location)])
    }
}
