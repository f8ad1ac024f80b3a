precedencegroup ForwardPipePrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

infix operator |> : ForwardPipePrecedence

/// The request after `step`.
// Consuming and inlinable, so that the steps of a pipe change one value in place.
@inlinable
public func |> (draft: consuming MutableRequest, step: consuming RequestStep) -> MutableRequest {
    draft.apply(step)
    return draft
}

/// A step that applies both, in order.
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
