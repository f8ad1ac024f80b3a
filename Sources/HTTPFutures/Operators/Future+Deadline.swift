extension Future where Failure: FutureFailure {
    /// Limits the total time of this future and the chain after it to `total`, from now. Each later step has what is
    /// left; a step that is still waiting at the end fails with `timedOut`, and its source is cancelled if it has no
    /// other dependent.
    ///
    /// A deadline never adds time: of several, including the ambient `CallDeadline`, the earliest applies. It travels
    /// with the result: through steps, `follow`, `all` and `zip`, with the result that ended a `race`, and with the
    /// values of `firstSuccess` and `allSettled`. A deadline within `retrying` or `all(_:maxConcurrent:)` applies only to that
    /// attempt or element.
    ///
    /// While a step runs, it is `CallDeadline.current`: its calls get no more than what is left.
    ///
    /// When it has passed, `flatMap`, `flatMapError` and `delay` start nothing more. Steps that take no time, such as
    /// `map` and a `recover` to a value, still run, so a chain can turn a timeout into a value.
    public func deadline(_ total: Duration) -> Future {
        let budget = Budget(total).least(core.budget)
        return limited(to: budget.deadline.point, after: budget.deadline.allowance, budget: budget)
    }
}
