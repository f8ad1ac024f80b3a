import HTTPCore

extension Future where Failure: FutureFailure {
    /// Gives this future and the chain after it `total`, from now, in all. Each later step has what is left; one that is
    /// still waiting at the end fails with `timedOut`, and what it waits for is cancelled if nothing else needs it.
    ///
    /// While a step runs, the budget is `CallDeadline.current`: calls that it makes get no more than what is left.
    ///
    /// When it is used up, `flatMap`, `flatMapError` and `delay` start nothing more; steps that take no time, such as
    /// `map` and `recover`, still run, so a chain can answer a timeout with a value.
    public func budget(_ total: Duration) -> Future {
        let budget = Budget(total)
        return limited(to: budget.deadline.instant, orElse: .timedOut(after: total), budget: budget)
    }
}
