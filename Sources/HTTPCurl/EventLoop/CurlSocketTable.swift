import CLibcurl
import HTTPSupport

/// The sockets that the transfers of a multi handle wait for, as reported by libcurl, and the wait for them.
///
/// Only ready sockets are processed. `curl_multi_perform` would process every transfer and poll the socket of each.
///
/// One thread uses it at a time; other threads may use `waker` only.
final class CurlSocketTable {
    /// A socket and what it is ready for: `CURL_CSELECT_IN` and `CURL_CSELECT_OUT`.
    struct Event: Equatable {
        let socket: curl_socket_t
        let readiness: CInt
    }

    let waker: WakeupPipe
    // Only the thread that has the multi handle uses this; the compiler cannot check that.
    /// The array for `poll`; the waker comes first.
    @exclusivity(unchecked) private var waits: [pollfd]
    /// The index of each socket in it, by descriptor; 0 if it is not there. Empty until there are many sockets: descriptors
    /// may be large, and each connection of a blocking call has a table.
    @exclusivity(unchecked) private var places: [Int32] = []
    /// The ready sockets of the last wait.
    @exclusivity(unchecked) private(set) var events: [Event] = []

    init() throws(Unsupported) {
        waker = try WakeupPipe()
        waits = [pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// The number of sockets.
    var count: Int { waits.count - 1 }

    func note(_ socket: curl_socket_t, _ action: CInt) {
        let wanted = Self.wanted(action)
        let place = self.place(of: socket)
        switch (place, wanted) {
        case (0, 0): break
        case (0, _): insert(pollfd(fd: socket, events: wanted, revents: 0))
        case (_, 0): remove(place)
        default: waits[place].events = wanted
        }
    }

    func waits(for socket: curl_socket_t) -> Bool { place(of: socket) != 0 }

    /// Waits until there are `events`, it is woken or the time has passed.
    func wait(milliseconds: Int32) {
        events.removeAll(keepingCapacity: true)
        let count = nfds_t(waits.count)
        var left = waits.withUnsafeMutableBufferPointer { poll($0.baseAddress, count, milliseconds) }
        guard left > 0 else { return }
        if waits[0].revents != 0 {
            waker.take()
            left -= 1
        }
        for wait in waits.dropFirst() where wait.revents != 0 {
            events.append(Self.event(wait))
            left -= 1
            if left == 0 { return }
        }
    }

    // MARK: Entries

    /// Up to this many sockets are searched one by one.
    private static let few = 8

    private func place(of socket: curl_socket_t) -> Int {
        if places.isEmpty { return waits.dropFirst().firstIndex { $0.fd == socket } ?? 0 }
        return socket < places.count ? Int(places[Int(socket)]) : 0
    }

    private func insert(_ wait: pollfd) {
        waits.append(wait)
        guard places.isEmpty else { return index(waits.count - 1) }
        if count > Self.few { for place in 1...count { index(place) } }
    }

    private func index(_ place: Int) {
        let descriptor = Int(waits[place].fd)
        let missing = descriptor + 1 - places.count
        if missing > 0 { places.append(contentsOf: repeatElement(0, count: missing)) }
        places[descriptor] = Int32(place)
    }

    /// The last entry moves to its index.
    private func remove(_ place: Int) {
        if !places.isEmpty { places[Int(waits[place].fd)] = 0 }
        let last = waits.removeLast()
        guard place < waits.count else { return }
        waits[place] = last
        if !places.isEmpty { index(place) }
    }

    // MARK: Conversion of events

    private static func wanted(_ action: CInt) -> Int16 {
        switch action {
        case CURL_POLL_IN: Int16(POLLIN)
        case CURL_POLL_OUT: Int16(POLLOUT)
        case CURL_POLL_INOUT: Int16(POLLIN | POLLOUT)
        default: 0
        }
    }

    /// A broken connection counts as ready for everything: the operation then reports the error.
    private static func event(_ wait: pollfd) -> Event {
        let isBroken = wait.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
        let ready = isBroken ? wait.events : wait.revents
        let readiness =
            (ready & Int16(POLLIN) != 0 ? CURL_CSELECT_IN : 0) | (ready & Int16(POLLOUT) != 0 ? CURL_CSELECT_OUT : 0)
        return Event(socket: wait.fd, readiness: readiness)
    }

    static let callback: shim_socket_callback = { easy, socket, action, context, _ in
        // Where two transfers have used one connection, libcurl tells of a socket that it does not have.
        guard let context, socket != CURL_SOCKET_BAD else { return 0 }
        CurlCallbacks.noteWait(of: easy, for: socket, action)
        Unmanaged<CurlSocketTable>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.note(socket, action) }
        return 0
    }
}
