/// The lines of a response as libcurl passes them: interim heads, the final one, and the trailers behind the body.
struct HeadBuffer: ~Copyable {
    /// The status line of the head so far; nil before it.
    private var start: (HTTPVersion, HTTPStatus, String)?
    private var fields = HTTPHeaders()
    private var trailer: [UInt8] = []
    /// Whether a field of a head was folded. libcurl reads a line at a time and overlooks what the further ones say, as that
    /// the connection will be closed.
    private(set) var hasFolds = false

    /// Before the next exchange.
    mutating func begin() {
        // Removing nothing would cost more than these checks.
        if start != nil { (start, fields) = (nil, HTTPHeaders()) }
        if !trailer.isEmpty { trailer.removeAll(keepingCapacity: true) }
        if hasFolds { hasFolds = false }
    }

    /// A line of a head with its ending. Returns the final head at its end, and nil before and for an interim one.
    mutating func take(_ line: UnsafeRawBufferPointer, http2: Bool) throws(ResponseHead.Violation) -> ResponseHead? {
        var lines = HeadLines(line.bindMemory(to: UInt8.self))
        let text = lines.next()
        guard let start else {
            // At once: after the status line another request may be sent on this connection, if libcurl believes it.
            guard let text, StatusLine.isOf(http2: http2, line) else { throw Self.wrongVersion(line, http2: http2) }
            start = try StatusLine.parse(text)
            fields.reserveCapacity(12)
            return nil
        }
        guard let text else { return try finish(start) }
        if FieldLines.isContinuation(text) { try fold() }
        try FieldLines.add(text, to: &fields)
        return nil
    }

    /// Before a line that continues the field before it. Of a folded Transfer-Encoding libcurl may overlook the coding, and
    /// would pass on the chunks with their sizes as the body.
    @inline(never)
    private mutating func fold() throws(ResponseHead.Violation) {
        hasFolds = true
        guard fields.last?.isNamed("Transfer-Encoding") == true else { return }
        throw ResponseHead.Violation(reason: "its Transfer-Encoding is folded (RFC 9112 §5.2)")
    }

    @inline(never)
    private static func wrongVersion(_ line: UnsafeRawBufferPointer, http2: Bool) -> ResponseHead.Violation {
        ResponseHead.Violation(reason: StatusLine.problem(in: line.bindMemory(to: UInt8.self), http2: http2))
    }

    @inline(never)
    private mutating func finish(
        _ start: (HTTPVersion, HTTPStatus, String)
    ) throws(ResponseHead.Violation) -> ResponseHead? {
        if hasFolds { fields.joinOctets() }
        let whole = try ResponseHead(start, fields)
        (self.start, fields) = (nil, HTTPHeaders())
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
