import CLibcurl
import HTTPCore

/// Wakes the thread that waits in a multi handle. `wake` may be called from any thread, also after the handle is gone.
final class MultiWakeup: Sendable {
    /// The address of the multi handle; 0 once that is freed. The lock keeps it alive while it is being woken.
    private let multi: Locked<UInt>

    init(_ multi: UnsafeMutableRawPointer) { self.multi = Locked(UInt(bitPattern: multi)) }

    func wake() {
        multi.withLock { address in
            guard let multi = UnsafeMutableRawPointer(bitPattern: address) else { return }
            curl_multi_wakeup(multi)
        }
    }

    func close() { multi.withLock { $0 = 0 } }
}
