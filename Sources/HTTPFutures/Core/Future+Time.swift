import HTTPCore

extension Future {
    /// A future that ends as this one does, or with `failure` at the deadline; then it stops depending on this one.
    func limited(to deadline: TimePoint, orElse failure: Failure, budget: Budget? = nil) -> Future {
        let limited = followed()
        limited.core.limit(budget)
        guard limited.isPending else { return limited }
        let alarm = Alarm(at: deadline) { [core = limited.core] in core.end(.failure(failure)) }
        limited.core.attach(Waiter { _, _, _ in alarm.cancel() }, isDependent: false)
        return limited
    }

    /// A future that has this result after a while.
    static func later(_ result: Result<Value, Failure>, after delay: Duration) -> Future {
        guard delay > .zero else { return Future(result) }
        let core = Core.make()
        let alarm = Alarm(at: .now + delay) { core.settle(result) }
        core.attach(Waiter { _, _, _ in alarm.cancel() }, isDependent: false)
        return Future(core: core)
    }
}
