/// One change to a request in the making. Steps join by `|>` into longer ones, and a request takes them in order.
public struct RequestStep: Sendable {
    let apply: @Sendable (inout MutableRequest) throws(HTTPError) -> Void

    public init(_ apply: @escaping @Sendable (inout MutableRequest) throws(HTTPError) -> Void) { self.apply = apply }

    /// Changes nothing.
    public static let none = RequestStep { _ in }

    /// `step` where `condition` holds, else nothing.
    public static func when(_ condition: Bool, _ step: @autoclosure () -> RequestStep) -> RequestStep {
        condition ? step() : .none
    }

    /// Drops every header, query item and body given so far and puts the timeouts, limits and redirect policy back to
    /// the library's own; method and URL stay. In an endpoint it comes first, and so drops the service's defaults.
    public static let withoutDefaults = RequestStep { draft in
        draft = MutableRequest(draft.method, draft.url, baseURL: draft.baseURL)
    }
}
