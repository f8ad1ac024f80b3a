import HTTPEngine

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A connection to the first address of a host. Looking up the name blocks for as long as the system takes; nothing else
/// outlasts the call. Used by one thread.
final class Socket {
    private let descriptor: Int32
    private var received = [UInt8]()
    private var position = 0

    /// Opens a connection to the host of the request.
    init(connecting exchange: inout Exchange) throws(ExchangeEnd) {
        let (host, port) = (exchange.request.url.host, exchange.request.url.port)
        exchange.enter(.resolving)
        var found: UnsafeMutablePointer<addrinfo>?
        var hints = addrinfo()
        hints.ai_socktype = Self.stream
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard getaddrinfo(name, "\(port)", &hints, &found) == 0, let found else {
            throw .failed(.resolution(ResolutionFailure(host: host, record: exchange.record)))
        }
        defer { freeaddrinfo(found) }
        exchange.enter(.connecting)
        descriptor = socket(found.pointee.ai_family, Self.stream, 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var code = connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 ? 0 : errno
        if code == EINPROGRESS {
            try wait(for: Int16(POLLOUT), &exchange)
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        }
        guard code == 0 else {
            let reason = code == ECONNREFUSED ? ConnectionFailure.Reason.refused : .unreachable
            throw .failed(
                .connection(ConnectionFailure(reason, mayHaveBeenProcessed: false, record: exchange.record)))
        }
    }

    deinit { close(descriptor) }

    #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private static let stream = SOCK_STREAM
    #endif

    /// In short steps: a cancellation does not wake it.
    private func wait(for events: Int16, _ exchange: inout Exchange) throws(ExchangeEnd) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        repeat {
            try exchange.check()
            let left = min(exchange.timeLeft ?? .seconds(1), .milliseconds(20))
            guard poll(&entry, 1, Int32(left / .milliseconds(1)) + 1) == 0 else { return }
        } while true
    }

    // MARK: Sending

    func send(_ text: String, _ exchange: inout Exchange) throws(ExchangeEnd) {
        try send(Array(text.utf8)[...], &exchange)
    }

    /// A server that refuses in the middle of a body has answered before it closed: then nothing more is sent.
    func send(_ bytes: ArraySlice<UInt8>, _ exchange: inout Exchange) throws(ExchangeEnd) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write($0) }
            if count > 0 {
                rest = rest.dropFirst(count)
                exchange.metrics.bytesSent += Int64(count)
                exchange.noteProgress()
            } else if errno == EAGAIN {
                try wait(for: Int16(POLLOUT), &exchange)
            } else {
                return
            }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #elseif canImport(Musl)
        Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #elseif canImport(Glibc)
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    // MARK: Receiving

    /// Through the empty line, or as much as the call takes; nil if the connection ends before.
    func readHead(_ exchange: inout Exchange) throws(ExchangeEnd) -> ArraySlice<UInt8>? {
        var end = position
        while received.count - position <= exchange.headRoom {
            guard let line = received[end...].firstIndex(of: 0x0A) else {
                end -= position
                guard try receive(&exchange) else { return nil }
                continue
            }
            let isEmpty = received[end..<line].allSatisfy { $0 == 0x0D }
            end = line + 1
            guard isEmpty else { continue }
            defer { position = end }
            return received[position..<end]
        }
        return received[position...]
    }

    /// `length` bytes of the body, or as many as come before the end.
    func readBody(_ length: Int64, _ exchange: inout Exchange) throws(ExchangeEnd) {
        var left = length
        while left > 0 {
            if position == received.count { guard try receive(&exchange) else { return } }
            let end = position + Int(min(left, Int64(received.count - position)))
            try exchange.receive(received[position..<end])
            left -= Int64(end - position)
            position = end
        }
    }

    /// The chunks of the body, or as many as come before the end.
    func readChunks(_ exchange: inout Exchange) throws(ExchangeEnd) {
        var rest = received[position...]
        while try exchange.receive(chunks: &rest) {
            position = received.count
            guard try receive(&exchange) else { return }
            rest = received[...]
        }
    }

    /// Waits for more bytes; false at the end.
    private func receive(_ exchange: inout Exchange) throws(ExchangeEnd) -> Bool {
        received.removeFirst(position)
        position = 0
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count >= 0 {
                received += buffer.prefix(count)
                exchange.noteProgress()
                return count > 0
            }
            guard errno == EAGAIN else {
                guard exchange.activity == .receiving else { return false }
                throw .failed(
                    .connection(ConnectionFailure(.broken, mayHaveBeenProcessed: true, record: exchange.record)))
            }
            try wait(for: Int16(POLLIN), &exchange)
        }
    }
}
