#if canImport(CLibcurl)
import CLibcurl

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The C functions that libcurl calls. Each finds its exchange behind the pointer that the transfer gave and hands on;
/// they run on the thread that runs the transfer.
enum CurlCallbacks {
    /// What a write or header callback returns to stop: any other number than it was given.
    private static let refused = 0

    static let header: shim_data_callback = { bytes, size, count, context in
        guard let exchange = exchange(context), let bytes else { return refused }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return exchange.pointee.takeHeaderLine(line) ? line.count : refused
    }

    static let body: shim_data_callback = { bytes, size, count, context in
        guard let exchange = exchange(context), let bytes else { return refused }
        let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return exchange.pointee.takeBody(part) ? part.count : refused
    }

    static let upload: shim_data_callback = { room, size, count, context in
        guard let exchange = exchange(context), let room else { return Int(CURL_READFUNC_ABORT) }
        let part = UnsafeMutableRawBufferPointer(start: room, count: size * count)
        return exchange.pointee.giveBody(into: part) ?? Int(CURL_READFUNC_ABORT)
    }

    static let seek: shim_seek_callback = { context, offset, origin in
        guard let exchange = exchange(context), origin == SEEK_SET else { return CInt(CURL_SEEKFUNC_FAIL) }
        return exchange.pointee.upload.rewind(to: Int64(offset)) ? CInt(CURL_SEEKFUNC_OK) : CInt(CURL_SEEKFUNC_FAIL)
    }

    static let prerequest: shim_prerequest_callback = { context, remoteAddress, localAddress, remotePort, localPort in
        guard let exchange = exchange(context) else { return CInt(CURL_PREREQFUNC_ABORT) }
        exchange.pointee.route.note(
            CurlEnds(
                remoteAddress: remoteAddress, remotePort: Int(remotePort), localAddress: localAddress,
                localPort: Int(localPort)))
        exchange.pointee.tlsPeer?.noteConnection()
        return exchange.pointee.connectionIsReady() ? CInt(CURL_PREREQFUNC_OK) : CInt(CURL_PREREQFUNC_ABORT)
    }

    static let openSocket: shim_open_socket_callback = { context, _, address in
        guard let exchange = exchange(context), exchange.pointee.mayConnect(), let address = address?.pointee else {
            return CURL_SOCKET_BAD
        }
        return openSocket(address.family, address.socktype, address.protocol)
    }

    /// A program that the caller starts must not inherit the connection.
    private static func openSocket(_ family: CInt, _ type: CInt, _ protocol: CInt) -> curl_socket_t {
        #if canImport(Darwin)
        let descriptor = socket(family, type, `protocol`)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
        #elseif canImport(Musl)
        return socket(family, type | SOCK_CLOEXEC, `protocol`)
        #else
        return socket(family, type | CInt(SOCK_CLOEXEC.rawValue), `protocol`)
        #endif
    }

    private static func exchange(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CurlExchange>? {
        context?.assumingMemoryBound(to: CurlExchange.self)
    }
}
#endif
