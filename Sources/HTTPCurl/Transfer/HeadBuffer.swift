/// The lines of a response as libcurl passes them: interim heads, the final one, and the trailers behind the body.
struct HeadBuffer: ~Copyable {
    /// The lines of the head so far.
    private var head: [UInt8] = []
    private var trailer: [UInt8] = []
    /// Where the last line begins that continues no field.
    private var fieldStart = 0
    /// Whether a field of a head was folded. libcurl reads a line at a time and overlooks what the further ones say, as that
    /// the connection will be closed.
    private(set) var hasFolds = false

    /// Before the next exchange; the memory stays.
    mutating func begin() {
        // Removing nothing would cost more than these checks.
        if !head.isEmpty { head.removeAll(keepingCapacity: true) }
        if !trailer.isEmpty { trailer.removeAll(keepingCapacity: true) }
        if hasFolds { hasFolds = false }
    }

    /// A line of a head with its ending. Returns the final head at its end, and nil before and for an interim one.
    /// Inlined, because there are many lines.
    @inline(__always)
    mutating func take(_ line: UnsafeRawBufferPointer, http2: Bool) throws(ResponseHead.Violation) -> ResponseHead? {
        // At once: after the status line another request may be sent on this connection, if libcurl believes it.
        if head.isEmpty, !StatusLine.isOf(http2: http2, line) { throw Self.wrongVersion(line, http2: http2) }
        if line.first == 0x20 || line.first == 0x09 { try fold() } else { fieldStart = head.count }
        head.append(contentsOf: line)
        let isEmptyLine = line.count <= 2 && (line.first == 0x0D || line.first == 0x0A)
        return isEmptyLine ? try finish() : nil
    }

    /// Before a line that continues the field before it. Of a folded Transfer-Encoding libcurl may overlook the coding, and
    /// would pass on the chunks with their sizes as the body.
    @inline(never)
    private mutating func fold() throws(ResponseHead.Violation) {
        hasFolds = true
        let name = "Transfer-Encoding:"
        // A server decides how many lines continue a field: each may look at only so much.
        let start = String(decoding: head[fieldStart...].prefix(name.utf8.count), as: UTF8.self)
        guard ASCII.equalsIgnoringCase(start, name) else { return }
        throw ResponseHead.Violation(reason: "its Transfer-Encoding is folded (RFC 9112 §5.2)")
    }

    @inline(never)
    private static func wrongVersion(_ line: UnsafeRawBufferPointer, http2: Bool) -> ResponseHead.Violation {
        ResponseHead.Violation(reason: StatusLine.problem(in: line.bindMemory(to: UInt8.self), http2: http2))
    }

    @inline(never)
    private mutating func finish() throws(ResponseHead.Violation) -> ResponseHead? {
        defer { head.removeAll(keepingCapacity: true) }
        let whole = try head.withUnsafeBufferPointer { bytes throws(ResponseHead.Violation) in
            try ResponseHead(bytes)
        }
        // An interim response (RFC 9110 §15.2), after which the final one follows. None would follow a 101.
        if whole.status == 101 {
            throw ResponseHead.Violation(reason: ResponseReceiver.Stop.switchedProtocols)
        }
        return whole.status.isInformational ? nil : whole
    }

    @inline(never)
    mutating func takeTrailer(_ line: UnsafeRawBufferPointer) { trailer.append(contentsOf: line) }

    /// The trailer fields; nil if they are invalid.
    func trailers() -> HTTPHeaders? {
        guard !trailer.isEmpty else { return HTTPHeaders() }
        return trailer.withUnsafeBufferPointer { bytes in
            var lines = HeadLines(bytes)
            return try? FieldLines.parse(&lines)
        }
    }
}
