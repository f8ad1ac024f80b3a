import HTTPCore
import HTTPSupport

import Synchronization

extension LoopbackListener {
    /// A handshake on the loopback interface that takes longer counts as unanswered.
    private static let handshakePatience: Duration = .milliseconds(200)
    /// Systems differ in the number of connections that a backlog of 0 holds.
    private static let mostFillers = 256

    /// Connects until the system answers no more attempts. The connections stay open with the listener.
    func fillQueue() throws(MockServerError) {
        for _ in 0..<Self.mostFillers {
            let filler = try Self.openSocket(for: endpoint)
            fillers.withLock { $0.append(filler) }
            let result = endpoint.withSocketAddress { address, length in connect(filler, address, length) }
            if result == 0 { continue }
            guard errno == EINPROGRESS else { throw .current("connect", endpoint.description) }
            var watched = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
            if poll(&watched, 1, WakeSignal.milliseconds(Self.handshakePatience)) == 0 { return }
        }
        throw .system(call: "connect", address: endpoint.description, errno: ENOBUFS)
    }
}
