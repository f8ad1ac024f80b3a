import HTTPSupport

/// A thread that makes calls for others, one at a time, each with a slot of a limited number.
///
/// A call that waits in a policy gives its slot up: what it waits for may need one. It takes it again before it sends.
package protocol SlotHolder: AnyObject, Sendable {
    /// This thread is about to wait. Its slot is free for another call. False if as many calls wait as may; then this
    /// one fails with `refusal`.
    func beginWait() -> Bool

    func endWait()

    /// The call is about to send `request`: it takes the slot again, if it has given it up.
    func retakeSlot(for request: Request, within deadline: CallDeadline?) -> SlotReturn

    func refusal(of request: Request, _ phase: CallActivity) -> HTTPError
}

/// What came of taking a slot again.
package enum SlotReturn: Sendable {
    /// After this wait, if there was one.
    case granted(after: CallWait?)
    /// The call ended first.
    case failed(HTTPError)
}

extension SlotHolder {
    /// Runs `send` once the call has its slot.
    package func send(
        _ request: Request, within deadline: CallDeadline?, _ send: () -> Result<Response, HTTPError>
    ) -> Result<Response, HTTPError> {
        switch retakeSlot(for: request, within: deadline) {
        case .granted(after: nil): send()
        case .granted(let wait?): send().inserting(wait)
        case .failed(let error): .failure(error)
        }
    }
}

/// The object that runs this thread, where one does: blocking code finds it here without being told. Not a task-local
/// value, because a task that starts on the thread would inherit it.
package enum ThreadRole {
    private final class Box {
        let holder: any SlotHolder

        init(_ holder: any SlotHolder) { self.holder = holder }
    }

    /// Nil on other threads.
    package static var holder: (any SlotHolder)? {
        guard let key, let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().holder
    }

    /// Runs `operation` as the thread of `holder`.
    package static func run(as holder: any SlotHolder, _ operation: () -> Void) {
        guard let key else { return operation() }
        let box = Box(holder)
        withExtendedLifetime(box) {
            pthread_setspecific(key, Unmanaged.passUnretained(box).toOpaque())
            operation()
            pthread_setspecific(key, nil)
        }
    }

    /// Nil if the process has used up its keys; calls of such threads do not know that they have a slot.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
}
