import HTTPCore

/// An unmet expectation.
struct ContractViolation: Error {
    let expected: String
    let actual: String
    /// Why the case could not be tried, which says nothing of the engine; nil if it was.
    let obstacle: (any Error)?

    init(_ expected: String, _ actual: String, obstacle: (any Error)? = nil) {
        self.expected = expected
        self.actual = actual
        self.obstacle = obstacle
    }

    /// With a note behind what was found.
    func noting(_ note: String?) -> ContractViolation {
        ContractViolation(expected, note.map { "\(actual) (\($0))" } ?? actual, obstacle: obstacle)
    }

    /// An unexpected error.
    init(_ error: any Error) { self = (error as? ContractViolation) ?? ContractViolation("no error", "\(error)") }
}

/// Throws unless `actual` equals `expected`; `what` names the value.
func expect<Value: Equatable>(_ what: String, _ actual: Value, is expected: Value) throws(ContractViolation) {
    guard actual == expected else { throw ContractViolation("\(what) \(expected)", "\(actual)") }
}

/// Throws unless `holds`. `expected` ends the sentence "I expected"; `actual` is what was found.
func expect(_ expected: String, _ holds: Bool, got actual: @autoclosure () -> Any) throws(ContractViolation) {
    guard holds else { throw ContractViolation(expected, "\(actual())") }
}
