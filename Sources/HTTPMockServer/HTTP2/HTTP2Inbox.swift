import HTTPSupport

/// Passes answers from handlers' threads to the thread of their connection, and wakes it.
final class HTTP2Inbox: Sendable {
    enum Message: Sendable {
        case answer(MockResponse, on: Int32)
        /// The decision on the head alone.
        case early(MockResponse?, on: Int32)
    }

    private let messages = Locked<[Message]>([])
    private let readEnd: Int32
    private let writeEnd: Int32

    init() throws(MockServerError) {
        (readEnd, writeEnd) = try openPipe(for: "an inbox")
        for end in [readEnd, writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        closeDescriptor(readEnd)
        closeDescriptor(writeEnd)
    }

    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        // A full pipe has woken the reader already.
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    func takeAll() -> [Message] { messages.exchange([]) }

    /// Waits until there is a message, the socket is readable or `timeout` has passed; nil waits without limit.
    func wait(for socket: LoopbackSocket, timeout: Duration?) {
        socket.withDescriptor { descriptor in
            var watched = [
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&watched, 2, WakeSignal.milliseconds(timeout))
            guard ready > 0, watched[0].revents != 0 else { return }
            var bytes = [UInt8](repeating: 0, count: 256)
            while read(readEnd, &bytes, bytes.count) == bytes.count {}
        }
    }
}
