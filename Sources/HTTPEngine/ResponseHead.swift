import HTTPSupport
import Synchronization

/// The head of a response as it is on the wire: status line and fields (RFC 9112 §4 and §5), held to the rules that an
/// engine may be lax about. An object, because it is handed from step to step; only its cookies are noted later.
package final class ResponseHead: Sendable {
    package let version: HTTPVersion
    package let status: HTTPStatus
    package let reason: String
    package let headers: HTTPHeaders
    package let contentLength: Int64?
    /// Whether the body comes with a content coding.
    package let isEncoded: Bool
    private let cookiesAreNew = Atomic(false)

    /// What makes a head unreadable, as a phrase.
    package struct Violation: Error, Sendable, Hashable {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// Parses a status line and its field lines; `bytes` may end in the empty line.
    package convenience init(_ bytes: UnsafeBufferPointer<UInt8>) throws(Violation) {
        var lines = HeadLines(bytes)
        guard let first = lines.next() else { throw Violation(reason: "the response head is empty") }
        let start = try StatusLine.parse(first)
        let headers = try FieldLines.parse(&lines)
        guard lines.isAtEnd else { throw Violation(reason: "it goes on behind an empty line (RFC 9112 §2.1)") }
        try self.init(start, headers)
    }

    /// A head from its parsed lines.
    package init(_ start: (HTTPVersion, HTTPStatus, String), _ headers: HTTPHeaders) throws(Violation) {
        (version, status, reason) = start
        self.headers = headers
        contentLength = try FramingRules.contentLength(of: headers, in: version)
        isEncoded = headers.contains("Content-Encoding")
    }

    /// A head parsed by an engine, which gives no more than this.
    package convenience init(
        version: HTTPVersion = .http1_1, status: HTTPStatus, reason: String = "", headers: HTTPHeaders
    ) throws(Violation) { try self.init((version, status, reason), headers) }

    /// Stores its cookies, if the request has a storage for them. Once for each head, as soon as it is there: what happens to
    /// the body does not matter (RFC 6265bis §5.6).
    package func storeCookies(for request: Request) {
        guard let storage = request.cookies else { return }
        let isChange = storage.store(headers.values(for: "Set-Cookie"), from: request.url)
        cookiesAreNew.store(isChange, ordering: .relaxed)
    }

    /// Whether that has changed what the storage will send.
    package var hasNewCookies: Bool { cookiesAreNew.load(ordering: .relaxed) }

    /// Whether a body can follow (RFC 9110 §6.4.1).
    package func mayHaveBody(answering method: HTTPMethod) -> Bool {
        method != .head && !status.isInformational && status != .noContent && status != .notModified
    }

    /// Whether it announces a body where its status allows none (RFC 9110 §15.3.5, §15.3.6, §15.4.5). Recipients differ
    /// about what follows on the connection, so it is not used again.
    package var announcesForbiddenBody: Bool {
        guard status == .noContent || status == .notModified || status == 205 else { return false }
        return contentLength ?? 0 > 0 || headers.contains("Transfer-Encoding")
    }

    /// Whether the connection ends with the response (RFC 9112 §9.3).
    package var closesConnection: Bool {
        let options = headers.values(for: "Connection").flatMap { $0.split(separator: ",") }.map(ASCII.trimmed)
        if options.contains(where: { ASCII.equalsIgnoringCase($0, "close") }) { return true }
        return version == .http1_0 && !options.contains { ASCII.equalsIgnoringCase($0, "keep-alive") }
    }

    /// Whether the body has no other end than that of the connection (RFC 9112 §6.3).
    package func endsWithConnection(answering method: HTTPMethod) -> Bool {
        mayHaveBody(answering: method) && version.major < 2 && contentLength == nil
            && !headers.contains("Transfer-Encoding")
    }

    /// Why a body that ends too early is truncated.
    package var truncation: TruncatedBody.Reason {
        if let contentLength { return .contentLength(expected: contentLength) }
        return headers.contains("Transfer-Encoding") ? .chunked : .missingCloseNotify
    }
}

/// Lines of a head without their endings, folded ones (RFC 9112 §5.2) not yet joined.
package struct HeadLines {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    /// The next line; nil at the empty line or the end.
    package mutating func next() -> UnsafeBufferPointer<UInt8>? {
        guard position < bytes.count else { return nil }
        let start = position
        var end = lineEnd
        position = end + 1
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        return end > start ? UnsafeBufferPointer(rebasing: bytes[start..<end]) : nil
    }

    private var lineEnd: Int {
        guard let first = bytes.baseAddress, let found = memchr(first + position, 0x0A, bytes.count - position) else {
            return bytes.count
        }
        return UnsafeRawPointer(first).distance(to: found)
    }
}

package enum StatusLine {
    /// Whether it begins as that of an HTTP/2 or of an HTTP/1 connection does. The version is agreed before; the status
    /// line cannot change it.
    @inline(__always)
    package static func isOf(http2: Bool, _ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count > 6, line[5] == (http2 ? 0x32 : 0x31), line[6] == (http2 ? 0x20 : 0x2E) else { return false }
        return hasName(line)
    }

    /// Whether a line of more than four bytes begins with `HTTP/`.
    @inline(__always)
    private static func hasName(_ line: UnsafeRawBufferPointer) -> Bool {
        line[4] == 0x2F && line[0] == 0x48 && line[1] == 0x54 && line[2] == 0x54 && line[3] == 0x50
    }

    /// What is wrong with a line that is none of such a connection.
    package static func problem(in line: UnsafeBufferPointer<UInt8>, http2: Bool) -> String {
        var lines = HeadLines(line)
        guard let line = lines.next() else { return "its status line is empty (RFC 9112 §4)" }
        do throws(ResponseHead.Violation) { _ = try parse(line) } catch { return error.reason }
        return "its status line is \(FieldLines.shown(line)), although HTTP/2 was \(http2 ? "" : "not ")negotiated"
            + " (RFC 9113 §3)"
    }

    /// `HTTP/1.1 200 OK`, or `HTTP/2 200`: the name in capitals, one space, three digits (RFC 9112 §4).
    package static func parse(
        _ line: UnsafeBufferPointer<UInt8>
    ) throws(ResponseHead.Violation) -> (HTTPVersion, HTTPStatus, String) {
        guard let version = version(line), let codeStart = line.firstIndex(of: 0x20).map({ $0 + 1 }),
            line.count >= codeStart + 3, line[codeStart..<codeStart + 3].allSatisfy(ASCII.isDigit),
            line.count == codeStart + 3 || line[codeStart + 3] == 0x20
        else {
            throw ResponseHead.Violation(reason: "its status line is \(FieldLines.shown(line)) (RFC 9112 §4)")
        }
        let code = line[codeStart..<codeStart + 3].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard code >= 100 else { throw ResponseHead.Violation(reason: "its status code is \(code)") }
        let reasonBytes = line[min(codeStart + 4, line.count)...]
        if let control = FieldLines.control(in: reasonBytes) {
            throw ResponseHead.Violation(reason: "its status line contains the control character \(ASCII.hex(control))")
        }
        let reason = reasonBytes.isEmpty ? "" : FieldOctets.readable(FieldLines.text(reasonBytes))
        return (version, HTTPStatus(code), reason)
    }

    private static func version(_ line: UnsafeBufferPointer<UInt8>) -> HTTPVersion? {
        guard line.count > 6, hasName(UnsafeRawBufferPointer(line)), ASCII.isDigit(line[5]) else { return nil }
        let major = Int(line[5] - 0x30)
        if line[6] == 0x20 { return major >= 2 ? HTTPVersion(major: major, minor: 0) : nil }
        guard line.count > 8, line[6] == UInt8(ascii: "."), ASCII.isDigit(line[7]), line[8] == 0x20 else { return nil }
        return HTTPVersion(major: major, minor: Int(line[7] - 0x30))
    }
}

package enum FieldLines {
    /// `name: value` lines up to the empty one. A folded line continues the previous value, after one space.
    package static func parse(_ lines: inout HeadLines) throws(ResponseHead.Violation) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(12)
        var isFolded = false
        while let line = lines.next() {
            if isContinuation(line) {
                try headers.continueLast(with: trimmed(line[...]), line: line)
                isFolded = true
            } else {
                let field = try field(line)
                headers.append(field.value, for: field.name)
            }
        }
        if isFolded { headers.joinOctets() }
        return headers
    }

    private static func isContinuation(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        line[0] == 0x20 || line[0] == 0x09
    }

    private static func field(_ line: UnsafeBufferPointer<UInt8>) throws(ResponseHead.Violation) -> HTTPHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            ASCII.isToken(UnsafeBufferPointer(rebasing: line[..<colon]))
        else { throw ResponseHead.Violation(reason: "it has the header line \(shown(line)) (RFC 9112 §5)") }
        let name = String(decoding: UnsafeBufferPointer(rebasing: line[..<colon]), as: UTF8.self)
        return HTTPHeaders.Field(name: name, value: try value(trimmed(line[(colon + 1)...]), of: name))
    }

    /// Part of the value of the header `name`. NUL, CR and LF are refused, because another recipient may treat them as
    /// an end. Other control characters are invalid too, but end nothing: they are kept (RFC 9110 §5.5), and code that
    /// prints or parses the value must expect them.
    package static func value(
        _ bytes: Slice<UnsafeBufferPointer<UInt8>>, of name: String
    ) throws(ResponseHead.Violation) -> String {
        if !ASCII.isFreeOfControls(UnsafeBufferPointer(rebasing: bytes)), let control = bytes.first(where: endsText) {
            throw ResponseHead.Violation(
                reason: "the value of its header \(name) contains the control character \(ASCII.hex(control))")
        }
        return text(bytes)
    }

    private static func endsText(_ byte: UInt8) -> Bool { byte == 0x00 || byte == 0x0A || byte == 0x0D }

    package static func control(in bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt8? {
        bytes.first { ASCII.isControl($0) && $0 != 0x09 }
    }

    private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
        var rest = bytes
        while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }

    /// The bytes as text that goes out again as the same bytes; see `FieldOctets`.
    package static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        FieldOctets.text(UnsafeBufferPointer(rebasing: bytes))
    }

    /// The start of a line in quotes, for a message: nothing that may be a value, which may be secret.
    package static func shown(_ line: UnsafeBufferPointer<UInt8>) -> String {
        let name = line.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=") }
        return String(decoding: name.prefix(80), as: UTF8.self).debugDescription
    }
}

extension HTTPHeaders {
    /// The size of the fields as lines of HTTP/1, in bytes.
    package var byteCount: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }

    fileprivate mutating func continueLast(
        with bytes: Slice<UnsafeBufferPointer<UInt8>>, line: UnsafeBufferPointer<UInt8>
    ) throws(ResponseHead.Violation) {
        guard let name = last?.name else {
            throw ResponseHead.Violation(reason: "its first header line is \(FieldLines.shown(line)) (RFC 9112 §5.2)")
        }
        continueLast(with: try FieldLines.value(bytes, of: name))
    }
}
