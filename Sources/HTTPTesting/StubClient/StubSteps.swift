/// The steps of an answer in order. Those that repeat are kept once, with their count.
struct StubSteps: Sendable {
    private enum Content: Sendable {
        case step(StubAnswer.Step)
        case rounds(StubSteps)
    }

    private struct Part: Sendable {
        var content: Content
        /// The number of steps up to its end.
        let end: Int
    }

    private var parts: [Part] = []

    init() {}

    init(_ step: StubAnswer.Step) { append(.step(step), 1) }

    /// At most `Int.max`; what follows that many is never reached.
    var count: Int { parts.last?.end ?? 0 }
    var first: StubAnswer.Step? { count > 0 ? self[0] : nil }
    var last: StubAnswer.Step? { count > 0 ? self[count - 1] : nil }

    /// `index` is less than `count`.
    subscript(index: Int) -> StubAnswer.Step {
        var (low, high) = (0, parts.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].end > index { high = middle } else { low = middle + 1 }
        }
        switch parts[low].content {
        case .step(let step): return step
        case .rounds(let steps): return steps[(index - (low > 0 ? parts[low - 1].end : 0)) % steps.count]
        }
    }

    mutating func append(_ steps: StubSteps) {
        var end = 0
        for part in steps.parts {
            append(part.content, part.end - end)
            end = part.end
        }
    }

    func times(_ rounds: Int) -> StubSteps {
        guard rounds != 1 else { return self }
        var steps = StubSteps()
        let (count, isTooMany) = count.multipliedReportingOverflow(by: max(rounds, 0))
        steps.append(.rounds(self), isTooMany ? .max : count)
        return steps
    }

    private mutating func append(_ content: Content, _ length: Int) {
        let (end, isTooFar) = count.addingReportingOverflow(length)
        if length > 0 { parts.append(Part(content: content, end: isTooFar ? .max : end)) }
    }

    /// Changes each step, a repeated one once.
    func map(_ change: (inout StubAnswer.Step) -> Void) -> StubSteps {
        var copy = self
        for index in parts.indices {
            switch parts[index].content {
            case .step(var step):
                change(&step)
                copy.parts[index].content = .step(step)
            case .rounds(let steps): copy.parts[index].content = .rounds(steps.map(change))
            }
        }
        return copy
    }
}
