/// The total time of a chain of futures; its links share one object.
@usableFromInline
final class Budget: Sendable {
    let deadline: CallDeadline

    /// Begins now, and is at most the caller's remaining time.
    init(_ total: Duration) {
        let own = CallDeadline(total)
        // The dispatcher's timers know no simulated time.
        let callers = CallDeadline.current.flatMap { $0.isSimulated ? nil : $0 }
        deadline = .earlier(own, callers) ?? own
    }

    func least(_ other: Budget?) -> Budget {
        if let other, other.deadline.point < deadline.point { other } else { self }
    }

    /// Runs a step with this budget as the deadline of its calls.
    @usableFromInline func run<Value, Failure, NewValue, NewFailure>(
        _ result: Result<Value, Failure>, startsWork: (Result<Value, Failure>) -> Bool,
        _ step: (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Outcome<NewValue, NewFailure> {
        let late = (NewFailure.self as? any FutureFailure.Type)?.timedOut(after: deadline.allowance) as? NewFailure
        if let late, startsWork(result), deadline.point <= .now { return .settled(.failure(late)) }
        let outcome = deadline.run { step(result) }
        guard late != nil, case .pending(let inner) = outcome, inner.isPending else { return outcome }
        return .pending(inner.limited(to: deadline.point, after: deadline.allowance, budget: self))
    }
}
