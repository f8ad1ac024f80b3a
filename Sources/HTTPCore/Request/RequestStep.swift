/// One change to a draft request. `|>` joins steps into longer ones and applies them in order.
public struct RequestStep: Sendable {
    /// The changes that nearly every request takes are enum values, so that making such a step allocates nothing. All
    /// others are closures.
    enum Change: Sendable {
        case nothing
        case setHeader(name: String, value: String)
        case addQuery(QueryItem)
        case setTotalTimeout(Duration?)
        /// Joined steps, in order. A list, so that thousands of them need no stack.
        case sequence([Change])
        case apply(@Sendable (inout MutableRequest) throws(HTTPError) -> Void)
    }

    private let change: Change

    init(_ change: Change) { self.change = change }

    /// A custom step: it changes the draft or throws an error. It runs each time a draft takes the step (for a
    /// service's defaults: each time a request begins), on that thread; requests built from one draft share the result.
    public init(_ apply: @escaping @Sendable (inout MutableRequest) throws(HTTPError) -> Void) {
        change = .apply(apply)
    }

    consuming func apply(_ draft: inout MutableRequest) throws(HTTPError) {
        switch change {
        case .nothing: break
        case .setHeader(let name, let value): draft.headers.set(value, for: name)
        case .addQuery(let item): draft.query.append(item)
        case .setTotalTimeout(let timeout): draft.timeouts.total = timeout
        case .sequence(let changes): for change in changes { try RequestStep(change).apply(&draft) }
        case .apply(let apply): try apply(&draft)
        }
    }

    fileprivate var changes: [Change] {
        if case .sequence(let changes) = change { changes } else { [change] }
    }

    /// Changes nothing.
    public static let none = RequestStep(.nothing)

    /// `step` if `condition` holds, else nothing.
    public static func when(_ condition: Bool, _ step: @autoclosure () -> RequestStep) -> RequestStep {
        condition ? step() : .none
    }

    /// The step made from `value`, or nothing if it is nil: `.ifLet(token) { .bearer($0) }`.
    public static func ifLet<Value>(_ value: Value?, _ step: (Value) -> RequestStep) -> RequestStep {
        value.map(step) ?? .none
    }

    /// Fails the request with `.invalidRequest` and the reason `complaint` if `condition` does not hold. Nothing is
    /// sent.
    public static func requiring(_ condition: Bool, _ complaint: @autoclosure () -> String) -> RequestStep {
        condition ? .none : failing(complaint())
    }

    /// Fails the request with an error that names the step and the invalid value.
    package static func failing(_ reason: String) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            throw .invalidRequest(InvalidRequest(draft, reason))
        }
    }

    /// Drops all headers, query items, the body, the destination and the values that the request carries, such as the
    /// cookie jar, and resets timeouts, limits, version and redirect policy to the library's defaults; parameters, too.
    /// The method, the URL with its credentials, and the service's JSON encoder, parameter encoding and TLS settings
    /// stay. At the start of an endpoint it drops the service's defaults.
    public static let withoutDefaults = RequestStep { draft in
        let old = draft
        draft = MutableRequest(old.method, old.url, baseURL: old.baseURL)
        draft.urlSpelling = old.urlSpelling
        ServiceSettings(of: old).apply(to: &draft)
        // No default, but what a request behind a redirect is held to.
        if let hop = old[HopKey.self] { draft[HopKey.self] = hop }
    }
}

extension RequestStep: Redacted {
    /// The type name only: the contents may be a token.
    public var description: String { "RequestStep" }
}

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

/// The draft of a finished request after `step`: `next.send(request |> .header("Stamp", "1"))`. Limits that nobody has set
/// depend on where the bodies go, as in any draft (`asDraft()`); `MutableRequest(request) |> step` keeps those in force.
// Disfavored, so that a pipe that begins with a draft or a step is type-checked as fast as without it.
@_disfavoredOverload
public func |> (request: Request, step: RequestStep) -> MutableRequest { request.asDraft() |> step }

/// A step that applies both, in order.
public func |> (first: RequestStep, second: RequestStep) -> RequestStep {
    RequestStep(.sequence(first.changes + second.changes))
}

/// The end of a pipe: `draft |> Request.init`.
public func |> <T>(draft: MutableRequest, end: (MutableRequest) throws(HTTPError) -> T) throws(HTTPError) -> T {
    try end(draft)
}
