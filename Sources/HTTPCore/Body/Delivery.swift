import Synchronization

/// Whether a call has passed on a byte of a body, which cannot be taken back.
package final class Delivery: Sendable {
    private let began = Atomic(false)

    package init() {}

    package var hasBegun: Bool { began.load(ordering: .relaxed) }

    func note() {
        if !hasBegun { began.store(true, ordering: .relaxed) }
    }
}
