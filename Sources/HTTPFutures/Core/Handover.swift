import HTTPCore

/// A step on its way to a queue. Fails its node if the queue throws it away, so that no future stays pending for ever.
final class Handover: Sendable {
    private let parts: Locked<(source: FutureCore, node: FutureCore)?>

    init(source: FutureCore, node: FutureCore) { parts = Locked((source, node)) }

    deinit {
        guard let (_, node) = take() else { return }
        Trampoline.perform { node.abandon() }
    }

    /// Both, once.
    func take() -> (source: FutureCore, node: FutureCore)? {
        parts.withLock { parts in
            defer { parts = nil }
            return parts
        }
    }
}
