precedencegroup ForwardPipePrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

infix operator |> : ForwardPipePrecedence

/// The request after one more step.
// Consuming, and compiled with its caller, so that the steps of a pipe change one value in its place.
@inlinable
public func |> (draft: consuming MutableRequest, step: consuming RequestStep) -> MutableRequest {
    draft.apply(step)
    return draft
}

/// Both steps, one after the other.
public func |> (first: RequestStep, second: RequestStep) -> RequestStep {
    RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
        try first.apply(&draft)
        try second.apply(&draft)
    }
}

/// The end of a pipe: `draft |> Request.init`.
public func |> <T>(
    draft: MutableRequest, end: (MutableRequest) throws(HTTPError) -> T
) throws(HTTPError) -> T {
    try end(draft)
}
