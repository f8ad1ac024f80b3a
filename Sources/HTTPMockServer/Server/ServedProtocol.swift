/// The protocol of a connection.
enum ServedProtocol: Equatable {
    case http1
    case http2
    /// None that this server supports, for this reason.
    case refused(String)

    /// The first bytes of an HTTP/2 connection (RFC 9113 §3.4).
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// On a TLS connection: what was negotiated.
    init(negotiated name: String?, _ options: ServerOptions, negotiates: Bool) {
        switch name {
        case "h2": self = .http2
        case nil where !negotiates: self = options.versions.first.map { $0 >= .http2 } == true ? .http2 : .http1
        default: self = options.speaksHTTP1 ? .http1 : .refused("the client offered no protocol, and HTTP/2 takes ALPN")
        }
    }

    /// On a plain connection: by its first bytes; nil if more are needed.
    init?(begin: [UInt8], _ options: ServerOptions) {
        guard options.speaksHTTP2 else {
            self = .http1
            return
        }
        let count = min(begin.count, Self.preface.count)
        if begin.prefix(count).elementsEqual(Self.preface.prefix(count)) {
            guard count == Self.preface.count else { return nil }
            self = .http2
        } else {
            self = options.speaksHTTP1 ? .http1 : .refused("the connection does not begin as HTTP/2 does")
        }
    }
}
