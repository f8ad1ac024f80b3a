/// A `BodyFailure` that does not know its call yet.
package struct BodyProblem: Error {
    package let reason: BodyFailure.Reason
    package let path: String?
    package let underlying: (any Error)?

    /// `error` was thrown by a source or a sink. An error that already is a body problem keeps its reason.
    package init(_ reason: BodyFailure.Reason, _ error: any Error) {
        if let problem = error as? BodyProblem {
            self = problem
        } else {
            self.init(reason, path: nil, underlying: error)
        }
    }

    package init(_ reason: BodyFailure.Reason, path: String? = nil, underlying: (any Error)? = nil) {
        self.reason = reason
        self.path = path
        self.underlying = underlying
    }

    /// The failure of the call of `record`. What a sink of this package finds wrong with the response is no failure of
    /// the sink.
    package func error(_ record: CallRecord) -> HTTPError {
        (underlying as? ResponseFault)?.error(record) ?? .body(BodyFailure(self, record: record))
    }
}

/// Thrown by a sink of this package if the response is at fault, or if the call ends for another reason than the sink:
/// the error of the call, given its record.
package struct ResponseFault: Error {
    let error: @Sendable (CallRecord) -> HTTPError

    package init(_ error: @escaping @Sendable (CallRecord) -> HTTPError) { self.error = error }

    /// The server broke the rules of HTTP; `reason` says how.
    package static func violation(_ reason: String, _ kind: ProtocolViolation.Kind = .head) -> ResponseFault {
        ResponseFault { .protocolViolation(ProtocolViolation(reason, kind: kind, record: $0)) }
    }
}

/// An error that may say what to do about a file, so that nothing else is advised.
package protocol AdvisingError: Error {
    var advice: String? { get }
}

/// A violation of the contract by a source or a sink.
package struct BrokenBodyContract: AdvisingError, CustomStringConvertible {
    package let description: String
    package let advice: String?

    package init(description: String, isAdvice: Bool = false) {
        self.description = description
        advice = isAdvice ? description : nil
    }
}
