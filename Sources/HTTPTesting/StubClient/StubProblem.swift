/// An unexpected call to a stub, or an error in the stub itself.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum StubProblem: Sendable, CustomStringConvertible {
    /// A request arrived that no route answers.
    case unmatched(UnmatchedRequest)
    /// A route that is not optional was not used.
    case unused(StubRoute)
    /// Some answers of a sequence were not used.
    case unfinished(StubRoute, given: Int, expected: Int)
    /// A route, or one of its answers, cannot be used.
    case unusable(StubRoute, String)
    /// Fewer requests arrived than were waited for.
    case missing(expected: Int, received: Int, timeout: Duration)

    public var description: String {
        switch self {
        case .unmatched(let unmatched): unmatched.description
        case .unused(let route): "nothing asked for \(route)"
        case .unfinished(let route, let given, let expected):
            "\(route) was to answer \(expected) times, and was asked for \(given == 1 ? "once" : "\(given) times")"
        case .unusable(let route, let reason): "\(route) cannot be used: \(reason)"
        case .missing(let expected, let received, let timeout):
            """
            \(received) of \(expected) requests came within \(timeout): the others were not made, or wait for their turn in a \
            dispatcher that the test made (8 calls to one host at once by default)
            """
        }
    }
}

/// All problems that `StubClient.verify()` found.
public struct StubVerificationError: Error, Sendable, CustomStringConvertible {
    /// The problems, in order.
    public let problems: [StubProblem]

    public var description: String { problems.map { "• \($0)" }.joined(separator: "\n") }
}
