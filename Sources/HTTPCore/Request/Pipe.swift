precedencegroup ForwardPipePrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

infix operator |> : ForwardPipePrecedence

/// The request after one more step.
public func |> (draft: MutableRequest, step: RequestStep) -> MutableRequest {
    var next = draft
    next.apply(step)
    return next
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
