import HTTPCore
import Testing

/// Records that `value` is not of the expected case, for the `else` of a `guard case`.
package func unexpected(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record("\(value)", sourceLocation: sourceLocation)
}

/// An unexpected outcome of a call.
package struct Unexpected: Error, CustomStringConvertible {
    package let description: String

    package init(_ value: Any) { description = "\(value)" }
}

extension Result {
    package var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The error of a call that must fail.
    package func error() throws -> HTTPError {
        switch self {
        case .success(let response): throw Unexpected(response)
        case .failure(let error): return error
        }
    }
}
