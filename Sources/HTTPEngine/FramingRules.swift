/// Rejects framing headers with more than one meaning (RFC 9112 §6.3), by which two recipients could split a message
/// differently.
package enum FramingRules {
    /// The length that the Content-Length fields agree on; nil without one. A transfer coding beside a length, or in
    /// HTTP/1.0, which knows none, is refused: older recipients ignore it (RFC 9112 §6.1).
    package static func contentLength(
        of headers: HTTPHeaders, in version: HTTPVersion = .http1_1
    ) throws(ResponseHead.Violation) -> Int64? {
        var length: Int64?
        var isChunked = false
        for place in headers.indices {
            // Compared by length first, because every field of every response is checked.
            switch headers[place].name.utf8.count {
            case 14 where headers[place].isNamed("Content-Length"):
                length = try contentLength(headers[place].value, known: length)
            case 17 where headers[place].isNamed("Transfer-Encoding"):
                try checkTransferEncoding(headers)
                isChunked = true
            default: break
            }
        }
        guard isChunked else { return length }
        if version.major > 1 {
            throw ResponseHead.Violation(reason: "it has a Transfer-Encoding in \(version) (RFC 9113 §8.2.2)")
        }
        if length != nil {
            throw ResponseHead.Violation(reason: "it has both Transfer-Encoding and Content-Length (RFC 9112 §6.3)")
        }
        if version == .http1_0 {
            throw ResponseHead.Violation(reason: "it has a Transfer-Encoding in HTTP/1.0 (RFC 9112 §6.1)")
        }
        return nil
    }

    /// The length in `value`, alone or repeated in a list, which must be the one known already.
    private static func contentLength(_ value: String, known: Int64?) throws(ResponseHead.Violation) -> Int64 {
        if known == nil, let length = ASCII.number(value) { return length }
        var known = known
        for text in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let text = ASCII.trimmed(Substring(text))
            guard let length = ASCII.number(text) else {
                throw ResponseHead.Violation(reason: "its Content-Length is \(value.debugDescription)")
            }
            if let known, known != length {
                throw ResponseHead.Violation(
                    reason: "it has different values of Content-Length, \(known) and \(length)")
            }
            known = length
        }
        return known ?? 0
    }

    private static func checkTransferEncoding(_ headers: HTTPHeaders) throws(ResponseHead.Violation) {
        let codings = headers.values(for: "Transfer-Encoding").joined(separator: ", ")
        guard ASCII.equalsIgnoringCase(codings, "chunked") else {
            throw ResponseHead.Violation(reason: "its Transfer-Encoding is \(codings.debugDescription), not chunked")
        }
    }
}
