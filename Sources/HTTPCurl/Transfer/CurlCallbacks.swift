import CLibcurl
import HTTPSupport

/// The C callbacks of libcurl. Each finds its exchange by the address of the transfer and calls it, on the thread that
/// runs the transfer.
enum CurlCallbacks {
    /// A write or header callback returns another number than it was given to stop.
    private static let refused = 0

    static let header: shim_data_callback = { bytes, size, count, context in
        guard let bytes else { return refused }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return with(context) { $0.takeHeaderLine(line) } == true ? line.count : refused
    }

    static let body: shim_data_callback = { bytes, size, count, context in
        guard let bytes else { return refused }
        let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
        let taken: Int? = with(context) { exchange in
            guard exchange.takeBody(part) else { return nil }
            return exchange.body.isHeld ? Int(CURL_WRITEFUNC_PAUSE) : part.count
        }
        return taken ?? refused
    }

    /// Only behind the head of a response without a body. libcurl ignores its result.
    static let debug: shim_debug_callback = { _, kind, bytes, count, context in
        guard kind == CURLINFO_TEXT, let bytes else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        _ = with(context) { $0.takeRemark(line) }
        return 0
    }

    static let upload: shim_data_callback = { room, size, count, context in
        guard let room else { return Int(CURL_READFUNC_ABORT) }
        let part = UnsafeMutableRawBufferPointer(start: room, count: size * count)
        let given = with(context) { exchange -> Int? in
            guard let count = exchange.giveBody(into: part) else { return nil }
            return exchange.upload.isHeld ? Int(CURL_READFUNC_PAUSE) : count
        }
        return given ?? Int(CURL_READFUNC_ABORT)
    }

    /// After the last chunk. libcurl frees the list.
    static let trailers: shim_trailer_callback = { list, context in
        guard let list, let fields = with(context, { $0.makeTrailers() }) else { return CInt(CURL_TRAILERFUNC_ABORT) }
        for field in fields { list.pointee = CurlList.appending(list.pointee, "\(field.name): \(field.value)") }
        return CInt(CURL_TRAILERFUNC_OK)
    }

    static let seek: shim_seek_callback = { context, offset, origin in
        guard origin == SEEK_SET else { return CInt(CURL_SEEKFUNC_FAIL) }
        let isSought = with(context) { $0.upload.rewind(to: Int64(offset)) } == true
        return CInt(isSought ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL)
    }

    static let prerequest: shim_prerequest_callback = { context, remoteAddress, localAddress, remotePort, localPort in
        let ends = CurlEndpoints(
            remoteAddress: remoteAddress, remotePort: Int(remotePort), localAddress: localAddress,
            localPort: Int(localPort))
        let mayGoOn = with(context) { exchange in
            exchange.tlsPeer?.noteConnection(isNew: exchange.connection.wasOpened)
            return exchange.maySend(between: ends)
        }
        return CInt(mayGoOn == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
    }

    static let openSocket: shim_open_socket_callback = { context, _, address in
        guard let address, with(context, { $0.connection.mayOpen(to: address) }) == true else { return CURL_SOCKET_BAD }
        let socket = openSocket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        _ = with(context) { $0.connection.note(socket) }
        return socket
    }

    /// Only where a tunnel is opened.
    static let progress: shim_progress_callback = { context, _, _, _, _ in
        with(context) { $0.connection.mayReadAnswerToConnect() } == true ? 0 : 1
    }

    /// `easy` has what `CURLOPT_PRIVATE` says: its transfer.
    static func noteWait(of easy: UnsafeMutableRawPointer?, for socket: curl_socket_t, _ action: CInt) {
        _ = with(easy.flatMap(shim_private)) { $0.noteWait(for: socket, action) }
    }

    /// A connection may outlive the transfer it was opened for, so this context lives as long as connections do.
    static let closeSocket: shim_close_socket_callback = { context, socket in
        if let context {
            Unmanaged<CurlConnectionSockets>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.remove(socket) }
        }
        return close(socket)
    }

    /// Started programs must not inherit the connection.
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

    /// The exchange of the transfer at this address, which lives as long as its easy handle.
    @inline(__always)
    private static func with<Result>(
        _ context: UnsafeMutableRawPointer?, _ body: (inout CurlExchange) -> Result?
    ) -> Result? {
        guard let context else { return nil }
        return Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
            let result = body(&transfer.exchange)
            // The caller's code may have forked, and this may be the child.
            guard transfer.isOfAncestor else { return result }
            transfer.exchange.connection.kept?.sockets.leaveAll()
            return nil
        }
    }
}
