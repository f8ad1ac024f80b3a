import HTTPEngine

/// HTTP/1.1 in the clear over the system's sockets, with a connection for each exchange.
///
/// Redirects, cookies, limits, deadlines and cancellation are the package's; this sends one request and reads one response.
public struct SocketEngine: ExchangeEngine {
    public init() {}

    public func perform(_ exchange: inout Exchange) throws(ExchangeEnd) {
        guard exchange.request.url.scheme == .http else {
            throw .failed(.unsupported(Unsupported("https", "SocketEngine speaks http alone")))
        }
        let socket = try Socket(connecting: &exchange)
        exchange.enter(.sending)
        try socket.send(head(of: exchange), &exchange)
        try sendBody(of: &exchange, to: socket)
        exchange.enter(.waiting)
        while let head = try socket.readHead(&exchange) {
            switch try exchange.receive(head: head) {
            // Of an interim response.
            case nil: continue
            case .length(let length): return try socket.readBody(length, &exchange)
            case .untilClose: return try socket.readBody(.max, &exchange)
            case .chunked: return try socket.readChunks(&exchange)
            default: return
            }
        }
    }

    private func head(of exchange: borrowing Exchange) -> String {
        let request = exchange.request
        var lines = ["\(request.method) \(request.url.target) HTTP/1.1"]
        if !request.headers.contains("Host") { lines.append("Host: \(request.url.origin.authority)") }
        lines += request.headers.map { "\($0.name): \($0.value)" } + ["Connection: close"]
        switch exchange.bodyLength {
        case 0? where request.method == .get || request.method == .head || request.method == .delete: break
        case let length?: lines.append("Content-Length: \(length)")
        case nil: lines.append("Transfer-Encoding: chunked")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private func sendBody(of exchange: inout Exchange, to socket: Socket) throws(ExchangeEnd) {
        let isChunked = exchange.bodyLength == nil
        while true {
            let bytes = try exchange.readBody(atMost: 64 << 10)
            if isChunked { try socket.send(String(bytes.count, radix: 16) + "\r\n", &exchange) }
            try socket.send(bytes[...], &exchange)
            if isChunked { try socket.send("\r\n", &exchange) }
            if bytes.isEmpty { return }
        }
    }
}
