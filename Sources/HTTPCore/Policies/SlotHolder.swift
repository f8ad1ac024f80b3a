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
    /// Runs `wait`, during which the slot is free for another call. Nil, and it does not run, if as many calls wait as may.
    package func wait<Ending>(_ wait: () -> Ending) -> Ending? {
        guard beginWait() else { return nil }
        defer { endWait() }
        return wait()
    }

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
