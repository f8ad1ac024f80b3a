import HTTPCore

extension Future where Failure: FutureFailure {
    /// Gives this future and the chain after it `total`, from now, in all. Each later step has what is left; one that is
    /// still waiting at the end fails with `timedOut`, and what it waits for is cancelled if nothing else needs it.
    ///
    /// A budget never adds time: the smallest of several counts, and the `CallDeadline` around this call is one of them.
    /// It goes wherever the result goes: through steps, `follow`, `all` and `zip`, and with the result that ended a `race`
    /// or the values of `firstSuccess` and `allSettled`. One that is given within `retrying` or `all(_:atMost:)` is for that
    /// attempt or element alone.
    ///
    /// While a step runs, the budget is `CallDeadline.current`: calls that it makes get no more than what is left.
    ///
    /// When it is used up, `flatMap`, `flatMapError` and `delay` start nothing more; steps that take no time, such as
    /// `map` and `recover`, still run, so a chain can answer a timeout with a value.
    public func budget(_ total: Duration) -> Future {
        let budget = Budget(total).least(core.budget)
        let (end, allowance) = (budget.deadline.instant, budget.deadline.allowance)
        return limited(to: end, orElse: .timedOut(after: allowance), budget: budget)
    }
}
