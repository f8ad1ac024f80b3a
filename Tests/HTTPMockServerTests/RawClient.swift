import HTTPMockServer

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A client that knows of HTTP only where a response with a `Content-Length` ends.
///
/// Reads give up after ten seconds, so that a silent server fails a test instead of hanging it.
final class RawClient {
    enum End: Equatable { case finished, reset, timedOut }

    private var descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ server: MockServer) throws { descriptor = try Self.connect(to: server.endpoint) }

    /// Gives up connecting after `limit`.
    init(port: Int, limit: Duration = .seconds(10)) throws {
        descriptor = try Self.connect(to: .ipv4(port: port), limit: limit)
    }

    deinit { close() }

    func close() {
        if descriptor >= 0 { _ = closeFile(descriptor) }
        descriptor = -1
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends as much as the server accepts before it leaves, and returns the number of bytes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0) }
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        return bytes.count - rest.count
    }

    func get(_ target: String, _ fields: String...) {
        send("GET \(target) HTTP/1.1\r\nHost: test\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n")
    }

    /// Reads until the connection ends.
    func readToEnd() -> (text: String, end: End) {
        while true {
            switch fill() {
            case nil: continue
            case let end?:
                defer { buffer = [] }
                return (String(decoding: buffer, as: UTF8.self), end)
            }
        }
    }

    /// Reads exactly that many bytes, or fewer if the connection ends.
    func read(_ count: Int) -> String { String(decoding: readBytes(count), as: UTF8.self) }

    func readBytes(_ count: Int) -> [UInt8] {
        while buffer.count < count, fill() == nil {}
        defer { buffer.removeFirst(min(count, buffer.count)) }
        return Array(buffer.prefix(count))
    }

    /// Reads through the end of `text`.
    func read(through text: String) -> String {
        while true {
            if let range = buffer.firstRange(of: Array(text.utf8)) { return read(range.upperBound) }
            if fill() != nil { return read(buffer.count) }
        }
    }

    /// Reads a head, and as many body bytes as its `Content-Length` says.
    func readResponse() -> String {
        let head = read(through: "\r\n\r\n")
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) } ?? 0
        return head + read(length)
    }

    private func fill() -> End? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count > 0 {
            buffer += chunk[..<count]
            return nil
        }
        return count == 0 ? .finished : errno == ECONNRESET ? .reset : .timedOut
    }

    private func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        return Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #elseif canImport(Glibc)
        return Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        return Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }
}

struct ConnectFailure: Error, Equatable {
    let code: Int32

    /// The client has given up.
    static let timeout = ConnectFailure(code: EINPROGRESS)
}

extension RawClient {
    private static func connect(to endpoint: MockServer.Endpoint, limit: Duration = .seconds(10)) throws -> Int32 {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let descriptor = socket(endpoint.family, type, 0)
        let (seconds, attoseconds) = limit.components
        var limit = timeval(tv_sec: Int(seconds), tv_usec: .init(attoseconds / 1_000_000_000_000))
        // This limits connecting, too.
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let result = endpoint.withSocketAddress { connectDescriptor(descriptor, $0, $1) }
        if result == 0 { return descriptor }
        let failure = ConnectFailure(code: errno)
        _ = closeFile(descriptor)
        throw failure
    }
}

private func connectDescriptor(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}

private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
