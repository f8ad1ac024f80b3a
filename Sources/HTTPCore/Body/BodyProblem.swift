/// A `BodyFailure` that does not know its call yet.
package struct BodyProblem: Error {
    let reason: BodyFailure.Reason
    let path: String?
    package let underlying: (any Error)?

    /// `error` was thrown by a source or a sink. An error that already is a body problem keeps its reason.
    package init(_ reason: BodyFailure.Reason, _ error: any Error) {
        if let problem = error as? BodyProblem {
            self = problem
        } else {
            self.init(reason, path: nil, underlying: error)
        }
    }

    init(_ reason: BodyFailure.Reason, path: String? = nil, underlying: (any Error)? = nil) {
        self.reason = reason
        self.path = path
        self.underlying = underlying
    }
}

/// A violation of the contract by a source or a sink.
package struct BrokenBodyContract: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
