import HTTPCore
import Testing

/// The error of a test's source or sink.
struct Refusal: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Records that `value` is not of the expected case, for the `else` of a `guard case`.
func unexpected(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record("\(value)", sourceLocation: sourceLocation)
}

extension Result {
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
