import CLibcurl
import HTTPCore
import HTTPSupport

/// Wakes the thread that waits in a multi handle. Any thread may call `wake`, also after the handle is freed.
final class MultiWakeup: Sendable {
    /// The address of the multi handle; 0 once it is freed. The lock keeps it alive during a wake-up.
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
