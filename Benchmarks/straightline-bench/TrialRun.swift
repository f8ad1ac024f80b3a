extension Trial {
    private static let attempts = 3

    /// In the parent: has a child try it. What a busy machine may have spoilt, a time, is tried again; a wrong count is
    /// wrong at once.
    func measure() throws -> TrialResult {
        var attempt = 1
        var spoilt: [Quantity] = []
        while true {
            guard let quantities = Child.run(["trial", "--name", name], as: [Quantity].self) else {
                throw Failure("there are no figures of: \(name)")
            }
            let result = TrialResult(section: section, name: name, spoilt: spoilt, quantities: quantities)
            let isWrong = quantities.contains { !$0.isWithinBound && !$0.isSpoilt }
            if result.isWithinBounds || isWrong || attempt == Self.attempts { return result }
            attempt += 1
            spoilt += quantities.filter(\.isSpoilt)
        }
    }

    /// In the child: tries it and prints the figures.
    static func run(_ arguments: Arguments) throws {
        let name = arguments.text("name") ?? ""
        guard let trial = all.first(where: { $0.name == name }) else { throw Failure("there is no trial \(name)") }
        try Child.answer(trial.run())
    }
}
