import HTTPCore

/// On which results a step starts work that takes time: with a budget that is used up, it is not started.
@usableFromInline
enum WorkStart: Sendable { case never, onSuccess, onFailure }

/// The time a chain of futures has in all: one object for all its links.
@usableFromInline
final class Budget: Sendable {
    let deadline: CallDeadline

    /// Begins now.
    init(_ total: Duration) { deadline = CallDeadline(total) }

    /// Runs a step with this budget as the deadline for the calls it makes.
    @usableFromInline func run<Value, Failure, NewValue, NewFailure>(
        _ result: Result<Value, Failure>, starts: WorkStart,
        _ step: (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Outcome<NewValue, NewFailure> {
        let isStart =
            switch (result, starts) {
            case (.success, .onSuccess), (.failure, .onFailure): true
            default: false
            }
        let late = (NewFailure.self as? any FutureFailure.Type)?.timedOut(after: deadline.allowance) as? NewFailure
        if isStart, let late, deadline.instant <= .now { return .settled(.failure(late)) }
        let outcome = deadline.run { step(result) }
        guard let late, case .pending(let inner) = outcome, inner.isPending else { return outcome }
        return .pending(inner.limited(to: deadline.instant, orElse: late, budget: nil))
    }
}
