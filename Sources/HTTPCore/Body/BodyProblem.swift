/// A `BodyFailure` in the making: what went wrong with a body, not yet in which call.
package struct BodyProblem: Error {
    let reason: BodyFailure.Reason
    let path: String?
    package let underlying: (any Error)?

    /// `error` is what a source or a sink threw. One that went through another body keeps its own reason.
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

/// What a source or sink did wrong.
package struct BrokenBodyContract: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
