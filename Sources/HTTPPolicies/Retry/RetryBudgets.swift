import HTTPSupport
import Synchronization

/// The budgets of one interceptor: the one that it was given, or one for each origin.
final class RetryBudgets: Sendable {
    /// With so many origins that lack retries, all have theirs back: to remember them costs memory.
    static let mostOrigins = 1000

    private let shared: RetryBudget?
    /// Those that are not full.
    private let byOrigin = Locked<[Origin: RetryBudget]>([:])
    private let count = Atomic(0)

    init(_ shared: RetryBudget?) { self.shared = shared }

    func withdraw(for origin: Origin) -> Bool {
        if let shared { return shared.withdraw() }
        return byOrigin.withLock { budgets in
            if budgets.count >= Self.mostOrigins, budgets[origin] == nil { budgets = [:] }
            let budget = budgets[origin] ?? RetryBudget()
            budgets[origin] = budget
            count.store(budgets.count, ordering: .relaxed)
            return budget.withdraw()
        }
    }

    /// Returns a retry that did not take place.
    func deposit(for origin: Origin) { change(origin) { $0.deposit() } }

    /// Records a call that succeeded after `retries`.
    func noteSuccess(after retries: Int, for origin: Origin) { change(origin) { $0.noteSuccess(after: retries) } }

    private func change(_ origin: Origin, _ fill: (RetryBudget) -> Void) {
        if let shared { return fill(shared) }
        // As long as nothing fails, processors only read it.
        guard count.load(ordering: .relaxed) > 0 else { return }
        byOrigin.withLock { budgets in
            guard let budget = budgets[origin] else { return }
            fill(budget)
            if budget.isFull { budgets[origin] = nil }
            count.store(budgets.count, ordering: .relaxed)
        }
    }
}
