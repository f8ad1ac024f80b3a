/// The wire form of an answer: the bytes of its head and of its framed body.
struct ResponseBytes {
    var head: [UInt8] = []
    var body: [UInt8] = []

    init(_ response: MockResponse, to method: HTTPMethod, isClosing: Bool, announcesKeepAlive: Bool) {
        if response.framing == .raw {
            (head, body) = Self.split(response.body)
            return
        }
        // RFC 9110 §9.3.6: behind a 2xx to CONNECT the tunnel begins.
        let mayHaveBody = response.mayHaveBody && !(method == .connect && response.status.isSuccess)
        let hasBody = method != .head && mayHaveBody
        head = Self.statusLine(response.status, response.reasonPhrase)
        Self.append(response.headers, to: &head)
        switch response.framing {
        case .contentLength where mayHaveBody:
            addField("Content-Length", String(response.body.count), unlessIn: response)
        case .chunked where mayHaveBody: addField("Transfer-Encoding", "chunked", unlessIn: response)
        case .contentLength, .chunked, .untilClose, .raw: break
        }
        if isClosing {
            addField("Connection", "close", unlessIn: response)
        } else if announcesKeepAlive {
            addField("Connection", "keep-alive", unlessIn: response)
        }
        head += "\r\n".utf8
        guard hasBody else { return }
        if case .chunked(let sizes) = response.framing {
            body = Self.chunked(response.body, sizes: sizes, trailers: response.trailers)
        } else {
            body = response.body
        }
    }

    static func interim(_ interim: MockResponse.Interim) -> [UInt8] {
        var bytes = statusLine(interim.status, nil)
        append(interim.headers, to: &bytes)
        bytes += "\r\n".utf8
        return bytes
    }

    private mutating func addField(_ name: String, _ value: String, unlessIn response: MockResponse) {
        guard !response.headers.contains(name) else { return }
        head += "\(name): \(value)\r\n".utf8
    }

    private static func statusLine(_ status: HTTPStatus, _ reason: String?) -> [UInt8] {
        Array("HTTP/1.1 \(status.rawValue) \(reason ?? ReasonPhrase.of(status))\r\n".utf8)
    }

    private static func append(_ fields: HTTPHeaders, to bytes: inout [UInt8]) {
        for field in fields { bytes += FieldOctets.octets("\(field.name): \(field.value)\r\n") }
    }

    /// RFC 9112 §7.1.
    private static func chunked(_ body: [UInt8], sizes: [Int], trailers: HTTPHeaders) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 64)
        var position = 0
        var sizes = sizes[...]
        while position < body.count {
            let size = max(1, sizes.first ?? body.count)
            if sizes.count > 1 { sizes.removeFirst() }
            let end = position + min(size, body.count - position)
            bytes += "\(String(end - position, radix: 16))\r\n".utf8
            bytes += body[position..<end]
            bytes += "\r\n".utf8
            position = end
        }
        bytes += "0\r\n".utf8
        append(trailers, to: &bytes)
        bytes += "\r\n".utf8
        return bytes
    }

    /// The head of raw bytes ends at the first empty line, so that a fault can be placed.
    private static func split(_ bytes: [UInt8]) -> (head: [UInt8], body: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return (bytes, []) }
        return (Array(bytes[..<end.upperBound]), Array(bytes[end.upperBound...]))
    }
}

extension MockResponse {
    /// RFC 9110 §6.4.1: these never have a body.
    var mayHaveBody: Bool { !status.isInformational && status != 204 && status != 304 }
}
