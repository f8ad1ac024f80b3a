extension MockResponse {
    /// Why this answer cannot be given on a connection of HTTP/2 or HTTP/1.1; nil when it can.
    func problem(overHTTP2 isHTTP2: Bool) -> String? { isHTTP2 ? problemOverHTTP2 : problemOverHTTP1 }

    private var problemOverHTTP1: String? {
        switch fault {
        case .resetStream, .goAway: fault.map { "HTTP/1.1 has no streams; use .reset or .close in place of \($0)" }
        case .close, .closeWithoutNotify, .reset, .stall, .trickle, .garbage, nil: nil
        }
    }

    private var problemOverHTTP2: String? {
        if framing == .raw { return "HTTP/2 sends frames, so that a raw answer cannot be sent; use .fault(.garbage)" }
        if status.isInformational || informational.contains(where: { $0.status == 101 }) {
            return "HTTP/2 has no 101, and another 1xx is never the last answer (RFC 9113 §8.1, §8.6)"
        }
        if reasonPhrase != nil { return "HTTP/2 has no reason phrase (RFC 9113 §8.3.1)" }
        let fields = [headers, trailers] + informational.map(\.headers)
        if let field = fields.joined().first(where: { Self.isOfConnection($0.name) }) {
            return "HTTP/2 forbids the field \(field.name) (RFC 9113 §8.2.2); use .closing() to end the connection"
        }
        guard FaultEffect(of: fault).point == .midHead else { return nil }
        return "the head of an HTTP/2 answer is sent whole; use .beforeHead or .midBody(after: 0)"
    }

    private static func isOfConnection(_ name: String) -> Bool {
        ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"].contains(name.lowercased())
    }
}
